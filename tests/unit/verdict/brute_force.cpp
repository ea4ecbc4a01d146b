#include "unit/verdict/brute_force.h"

#include <algorithm>
#include <functional>

namespace brute {
namespace {

using rlctl::kNoTime;
using rlctl::Outcome;
using rlctl::RuleKind;
using Int = std::int64_t;

constexpr Int kHorizon = 80;  // later than every instant of a test

// Calls back with every number of admissions that may be left out of each operation.
bool any_choice(std::vector<Int>& left_out, std::size_t at, const Operations& admitted, Int budget,
                const std::function<bool()>& good) {
  if (at == admitted.size()) return budget == 0 && good();
  for (Int n = 0; n <= std::min(budget, admitted[at].cost); ++n) {
    left_out[at] = n;
    if (any_choice(left_out, at + 1, admitted, budget - n, good)) return true;
  }
  left_out[at] = 0;
  return false;
}

Operations only(const Operations& operations, Outcome outcome) {
  Operations result;
  for (const Operation& op : operations) {
    if (op.outcome == outcome) result.push_back(op);
  }
  return result;
}

// The instant from which an admission at x no longer counts.
Int leaves(Int x, const Rule& rule, Int stretch) {
  if (rule.contract.kind != RuleKind::fixed) {
    return x + rule.contract.window_us + stretch + (rule.options.closed ? 1 : 0);
  }
  Int edge = *rule.contract.phase_us;
  while (edge > x) edge -= rule.contract.window_us;
  while (edge <= x) edge += rule.contract.window_us;
  return std::max(edge + stretch, x + 1);
}

bool lies(Int x, Int t, const Rule& rule, Int stretch) {
  return x <= t && t < leaves(x, rule, stretch);
}

bool can_lie(const Operation& op, Int t, const Rule& rule, Int stretch) {
  for (Int x = op.low; x <= op.high; ++x) {
    if (lies(x, t, rule, stretch)) return true;
  }
  return false;
}

bool must_lie(const Operation& op, Int t, const Rule& rule, Int stretch, bool before) {
  for (Int x = op.low; x <= op.high; ++x) {
    if (!lies(x, t, rule, stretch) || (before && x == t)) return false;
  }
  return true;
}

bool fills(const Operation& other, const Operation& op, const Rule& rule, bool possible) {
  if (other.record == op.record) return false;
  if (other.outcome == Outcome::denied) return rule.contract.counts_denied;
  return possible || other.outcome == Outcome::allowed;
}

// Both are known to the same instant and are taken in the log's order.
bool tied(const Operation& a, const Operation& b) {
  return a.outcome == Outcome::allowed && b.outcome == Outcome::allowed && a.exact() && b.exact() &&
         a.low == b.low;
}

// Which of the admissions certainly lie in a window that opens at `from`.
Int certain_in(const Operations& admitted, const std::vector<Int>& left_out, Int from, Int end) {
  Int sum = 0;
  for (std::size_t i = 0; i < admitted.size(); ++i) {
    if (admitted[i].low >= from && admitted[i].high < end) sum += admitted[i].cost - left_out[i];
  }
  return sum;
}

Int most_certain(const Operations& admitted, const std::vector<Int>& left_out, const Rule& rule) {
  Int most = 0;
  for (std::size_t i = 0; i < admitted.size(); ++i) {
    const Int cost = admitted[i].cost - left_out[i];
    const bool sliding = rule.contract.kind != RuleKind::fixed;
    if (sliding || cost > rule.contract.limit) most = std::max(most, cost);
  }
  for (Int from = -kHorizon; from < kHorizon; ++from) {
    const Int end = leaves(from, rule, -rule.options.tolerance_us);
    most = std::max(most, certain_in(admitted, left_out, from, end));
  }
  return most;
}

Int least_left_out(const Operations& admitted, const std::function<bool(std::vector<Int>&)>& good) {
  std::vector<Int> left_out(admitted.size(), 0);
  Int budget = 0;
  while (!any_choice(left_out, 0, admitted, budget, [&] { return good(left_out); })) ++budget;
  return budget;
}

Int most_possible(const Operations& operations, const Rule& rule) {
  Int most = 0;
  for (Int t = -kHorizon; t < 2 * kHorizon; ++t) {
    Int sum = 0;
    for (const Operation& op : operations) {
      if (op.outcome == Outcome::denied) continue;
      if (can_lie(op, t, rule, -rule.options.tolerance_us)) sum += op.cost;
    }
    most = std::max(most, sum);
  }
  return most;
}

Int possible_others(const Operations& operations, const Operation& op, Int t, const Rule& rule) {
  Int sum = 0;
  const Int tolerance = rule.options.tolerance_us;
  for (const Operation& other : operations) {
    if (!fills(other, op, rule, true)) continue;
    if (tied(other, op) && other.record > op.record) continue;
    // An unanswered one is asked about because it may have been denied.
    const Int stretch = op.outcome == Outcome::allowed ? -tolerance : tolerance;
    if (can_lie(other, t, rule, stretch)) sum += other.cost;
  }
  return sum;
}

Int certain_others(const Operations& operations, const Operation& op, Int t, const Rule& rule) {
  Int sum = 0;
  const bool denied = op.outcome == Outcome::denied;
  const Int stretch = denied ? rule.options.tolerance_us : -rule.options.tolerance_us;
  for (const Operation& other : operations) {
    if (!fills(other, op, rule, false)) continue;
    const bool earlier_tie = tied(other, op) && other.record < op.record;
    if (earlier_tie || must_lie(other, t, rule, stretch, !denied)) sum += other.cost;
  }
  return sum;
}

bool explained_at(const Operations& operations, const Operation& denial, Int t, const Rule& rule) {
  return possible_others(operations, denial, t, rule) + denial.cost > rule.contract.limit;
}

bool explained_by_block(const Operations& operations, const Operation& denial, const Rule& rule) {
  const Int block = rule.contract.block_us + rule.options.tolerance_us;
  if (rule.contract.block_us == 0) return false;
  for (const Operation& other : operations) {
    if (other.outcome == Outcome::allowed || other.record == denial.record) continue;
    for (Int u = other.low; u <= other.high; ++u) {
      if (!explained_at(operations, other, u, rule)) continue;
      for (Int t = denial.low; t <= denial.high; ++t) {
        if (t - block <= u && u <= t) return true;
      }
    }
  }
  return false;
}

Int memory_of(const Rule& rule) {
  Int memory = rule.contract.window_us;
  if (rule.contract.kind == RuleKind::bucket) {
    Int fill = 0;  // until an empty bucket is full
    while (fill < 1000 * kHorizon &&
           fill * rule.contract.limit < rule.contract.capacity * rule.contract.window_us) {
      ++fill;
    }
    memory = std::max(memory, fill);
  }
  const Int tolerance = rule.options.tolerance_us;
  const Int block = rule.contract.block_us;
  return memory + tolerance + (block > 0 ? block + tolerance : 0);
}

void count_wrong_denial(const Operation& denial, const Rule& rule, Figures& figures) {
  if (!rule.options.fresh && denial.low < rule.history_from + memory_of(rule)) {
    ++figures.unverifiable;
  } else {
    ++figures.wrong;
    figures.false_denials.push_back(denial.record);
  }
}

// At least `excess` admissions are wrong, even where it is not known which.
void count_admissions(const Operations& admitted, Int right, Int wrong, Figures& figures) {
  Int cost = 1;
  for (const Operation& op : admitted) cost = std::max(cost, op.cost);
  const Int least = (figures.excess + cost - 1) / cost;
  const Int undecided = static_cast<Int>(admitted.size()) - right - wrong;
  figures.right += right;
  figures.wrong += wrong + std::min(undecided, std::max<Int>(0, least - wrong));
}

template <class Test>
bool at_every_instant(const Operation& op, Test test) {
  for (Int t = op.low; t <= op.high; ++t) {
    if (!test(t)) return false;
  }
  return true;
}

}  // namespace

Figures windows(const Operations& operations, const Rule& rule) {
  Figures figures;
  const Operations admitted = only(operations, Outcome::allowed);
  const Int limit = rule.contract.limit;
  figures.max_certain = most_certain(admitted, std::vector<Int>(admitted.size(), 0), rule);
  figures.max_possible = most_possible(operations, rule);
  figures.excess = least_left_out(admitted, [&](const std::vector<Int>& left_out) {
    return most_certain(admitted, left_out, rule) <= limit;
  });
  Int right = 0;
  Int wrong = 0;
  for (const Operation& op : admitted) {
    right += at_every_instant(
        op, [&](Int t) { return possible_others(operations, op, t, rule) + op.cost <= limit; });
    wrong += at_every_instant(
        op, [&](Int t) { return certain_others(operations, op, t, rule) + op.cost > limit; });
  }
  count_admissions(admitted, right, wrong, figures);
  for (const Operation& op : only(operations, Outcome::denied)) {
    figures.right += at_every_instant(
        op, [&](Int t) { return certain_others(operations, op, t, rule) + op.cost > limit; });
    const bool never =
        at_every_instant(op, [&](Int t) { return !explained_at(operations, op, t, rule); });
    if (never && !explained_by_block(operations, op, rule)) count_wrong_denial(op, rule, figures);
  }
  return figures;
}

Int widest_kept(const Operations& operations, const Rule& rule) {
  const Operations admitted = only(operations, Outcome::allowed);
  const std::vector<Int> nothing(admitted.size(), 0);
  for (const Operation& op : admitted) {
    if (op.cost > rule.contract.limit) return 0;
  }
  for (Int width = rule.contract.window_us + (rule.options.closed ? 1 : 0);; --width) {
    bool kept = true;
    for (Int from = -kHorizon; from < kHorizon; ++from) {
      if (certain_in(admitted, nothing, from, from + width) > rule.contract.limit) kept = false;
    }
    if (kept) return width;
  }
}

// Buckets. Tokens in units of 1 / window, spans [x, y].
namespace {

Int excess_of(const Operations& admitted, const std::vector<Int>& left_out, const Rule& rule,
              Int* count) {
  Int most = 0;
  *count = 0;
  const auto consider = [&](Int value, Int tokens) {
    if (value <= most) return;
    most = value;
    *count = tokens;
  };
  for (std::size_t i = 0; i < admitted.size(); ++i) {
    const Int tokens = admitted[i].cost - left_out[i];
    consider(tokens * rule.contract.window_us, tokens);
  }
  for (Int y = -kHorizon; y < kHorizon; ++y) {
    for (Int x = y; x >= -kHorizon; --x) {
      Int sum = 0;
      for (std::size_t i = 0; i < admitted.size(); ++i) {
        const bool inside = admitted[i].low >= x && admitted[i].high <= y;
        if (inside) sum += admitted[i].cost - left_out[i];
      }
      consider(sum * rule.contract.window_us - rule.contract.limit * (y - x), sum);
    }
  }
  return most;
}

// What may be missing from the bucket at t when `op` comes, itself not counted.
Int possibly_missing(const Operations& operations, const Operation& op, Int t, const Rule& rule) {
  Int most = 0;
  for (Int x = -kHorizon; x <= t; ++x) {
    Int sum = 0;
    for (const Operation& other : operations) {
      if (!fills(other, op, rule, true)) continue;
      if (tied(other, op) && other.record > op.record) continue;
      if (other.low <= t && other.high >= x) sum += other.cost;
    }
    most = std::max(most, sum * rule.contract.window_us - rule.contract.limit * (t - x));
  }
  return most;
}

// Twice what must be missing at the instant `ticks` / `per`; `before`: nothing of that instant.
Int certainly_missing(const Operations& operations, const Operation& op, Int ticks, Int per,
                      const Rule& rule, bool before) {
  Int most = 0;
  for (Int x = -kHorizon; x * per <= ticks; ++x) {
    Int sum = 0;
    for (const Operation& other : operations) {
      if (!fills(other, op, rule, false)) continue;
      const bool over = before ? other.high * per < ticks : other.high * per <= ticks;
      const bool earlier_tie = tied(other, op) && other.record < op.record;
      if (earlier_tie || (other.low >= x && over)) sum += other.cost;
    }
    const Int refill = per == 1 ? 2 * rule.contract.limit * (ticks - x) : ticks - x * per;
    most = std::max(most, 2 * sum * rule.contract.window_us - refill);
  }
  return most;
}

// Requests before the log may have emptied the bucket, at the latest when the log begins; denied
// ones that count, any number more.
Operations with_unseen(Operations operations, const Rule& rule) {
  const Int cost = rule.contract.counts_denied ? 1'000 : rule.contract.capacity;
  operations.push_back({rule.history_from, rule.history_from, cost, Outcome::allowed, UINT32_MAX});
  return operations;
}

bool denial_right(const Operations& operations, const Operation& op, const Rule& rule, Int room) {
  const Int per = std::max<Int>(1, 2 * rule.contract.limit);  // finer than any comparison
  for (Int ticks = op.low * per; ticks <= op.high * per; ++ticks) {
    if (certainly_missing(operations, op, ticks, per, rule, false) <= 2 * room) return false;
  }
  return true;
}

}  // namespace

Figures bucket(const Operations& operations, const Rule& rule) {
  Figures figures;
  const Operations admitted = only(operations, Outcome::allowed);
  const Int allowance = rule.contract.capacity * rule.contract.window_us;
  const Int slack = rule.contract.limit * rule.options.tolerance_us;
  const std::vector<Int> nothing(admitted.size(), 0);
  excess_of(admitted, nothing, rule, &figures.max_certain);
  figures.excess = least_left_out(admitted, [&](const std::vector<Int>& left_out) {
    Int count = 0;
    const Int most = excess_of(admitted, left_out, rule, &count);
    const bool fits = std::all_of(admitted.begin(), admitted.end(), [&](const Operation& op) {
      return op.cost - left_out[static_cast<std::size_t>(&op - admitted.data())] <=
             rule.contract.capacity;
    });
    return most <= allowance + slack && fits;
  });
  if (excess_of(admitted, nothing, rule, &figures.max_certain) <= allowance + slack) {
    figures.excess = 0;
  }
  Int right = 0;
  Int wrong = 0;
  for (const Operation& op : admitted) {
    const Int room = allowance + slack - op.cost * rule.contract.window_us;
    right += at_every_instant(
        op, [&](Int t) { return possibly_missing(operations, op, t, rule) <= room; });
    wrong += at_every_instant(
        op, [&](Int t) { return certainly_missing(operations, op, t, 1, rule, true) > 2 * room; });
  }
  count_admissions(admitted, right, wrong, figures);
  for (const Operation& op : only(operations, Outcome::denied)) {
    const Int room = allowance - slack - op.cost * rule.contract.window_us;
    figures.right += denial_right(operations, op, rule, room);
    const auto never = [&](const Operations& others) {
      return at_every_instant(op,
                              [&](Int t) { return possibly_missing(others, op, t, rule) <= room; });
    };
    if (!never(operations)) continue;
    if (!rule.options.fresh && !never(with_unseen(operations, rule)))
      ++figures.unverifiable;
    else
      count_wrong_denial(op, rule, figures);
  }
  return figures;
}

// Placements.
namespace {

struct Start {
  Int at;
  Int cost;
};

bool windows_keep(std::vector<Start> starts, const Rule& rule) {
  for (const Start& last : starts) {
    Int sum = 0;
    for (const Start& start : starts) {
      if (lies(start.at, last.at, rule, -rule.options.tolerance_us)) sum += start.cost;
    }
    if (sum > rule.contract.limit) return false;
  }
  return true;
}

// Times are in units of 1 / limit here.
bool bucket_keeps(const std::vector<Start>& starts, const Rule& rule) {
  const Int slack = rule.contract.limit * rule.options.tolerance_us;
  for (const Start& first : starts) {
    for (const Start& last : starts) {
      if (last.at < first.at) continue;
      Int sum = 0;
      for (const Start& start : starts) {
        if (start.at >= first.at && start.at <= last.at) sum += start.cost;
      }
      const Int allowed = rule.contract.capacity * rule.contract.window_us + last.at - first.at;
      if (sum * rule.contract.window_us > allowed + slack) return false;
    }
  }
  return true;
}

// From the start at `i` on, in a window that was opened at `anchor` (none: before the log).
bool course_keeps(const std::vector<Start>& starts, std::size_t i, const Int* anchor, Int count,
                  const Rule& rule) {
  if (i == starts.size()) return true;
  const Int t = starts[i].at;
  const Int tolerance = rule.options.tolerance_us;
  const Int window = rule.contract.window_us;
  const bool may_last = anchor ? t < *anchor + window + tolerance
                               : !rule.options.fresh && t < rule.history_from + window + tolerance;
  const bool may_end = !anchor || t >= *anchor + window - tolerance;
  const Int cost = starts[i].cost;
  const Int limit = rule.contract.limit;
  if (may_last && count + cost <= limit &&
      course_keeps(starts, i + 1, anchor, count + cost, rule)) {
    return true;
  }
  return may_end && cost <= limit && course_keeps(starts, i + 1, &t, cost, rule);
}

bool anchored_keeps(std::vector<Start> starts, const Rule& rule) {
  std::sort(starts.begin(), starts.end(),
            [](const Start& a, const Start& b) { return a.at < b.at; });
  // The order of several in one instant is not known, and matters only to the counts.
  return course_keeps(starts, 0, nullptr, 0, rule);
}

bool keeps(const std::vector<Start>& starts, const Rule& rule) {
  if (rule.contract.kind == RuleKind::bucket) return bucket_keeps(starts, rule);
  if (rule.contract.kind == RuleKind::first_hit) return anchored_keeps(starts, rule);
  return windows_keep(starts, rule);
}

// Whether at least one placement is good. A part that violates the contract is not continued, since
// more admissions never repair it (except by moving anchors).
bool some_placement(const Operations& admitted, std::size_t at, std::vector<Start>& starts,
                    const Rule& rule, bool good) {
  const bool anchored = rule.contract.kind == RuleKind::first_hit;
  if (at == admitted.size()) return keeps(starts, rule) == good;
  if (good && !anchored && !keeps(starts, rule)) return false;
  const bool bucket = rule.contract.kind == RuleKind::bucket;
  const Int scale = bucket ? std::max<Int>(1, rule.contract.limit) : 1;
  for (Int t = admitted[at].low * scale; t <= admitted[at].high * scale; ++t) {
    starts.push_back({bucket && rule.contract.limit == 0 ? 0 : t, admitted[at].cost});
    const bool found = some_placement(admitted, at + 1, starts, rule, good);
    starts.pop_back();
    if (found) return true;
  }
  return false;
}

}  // namespace

bool some_placement_keeps(const Operations& operations, const Rule& rule) {
  std::vector<Start> starts;
  return some_placement(only(operations, Outcome::allowed), 0, starts, rule, true);
}

bool every_placement_keeps(const Operations& operations, const Rule& rule) {
  std::vector<Start> starts;
  return !some_placement(only(operations, Outcome::allowed), 0, starts, rule, false);
}

Operations operations_of(const rlctl::Log& log, const rlctl::JudgeOptions& options, bool aligned,
                         std::int64_t* latest_shift) {
  Int low = -1000;
  Int high = 1000;
  bool stamps = false;
  for (const rlctl::Record& record : log.records) {
    if (record.server_us == kNoTime || record.outcome == Outcome::failed) continue;
    stamps = true;
    low = std::max(low, record.server_us - record.received_us);
    high = std::min(high, record.server_us - record.sent_us);
  }
  const bool use = stamps && options.use_server_stamps;
  const bool stepped = low - high > std::max<Int>(1, options.tolerance_us);
  if (low > high) std::swap(low, high);
  if (!stamps || (!aligned && !(use && !stepped))) low = high = 0;
  *latest_shift = high;
  Operations operations;
  for (std::uint32_t i = 0; i < log.records.size(); ++i) {
    const rlctl::Record& record = log.records[i];
    if (record.outcome == Outcome::failed) continue;
    Operation op{record.sent_us + low, 0, record.cost, record.outcome, i};
    op.high = record.received_us + high;
    if (op.outcome == Outcome::unknown) {
      op.high =
          options.max_inflight_us ? record.sent_us + *options.max_inflight_us + high : kHorizon;
    } else if (use && !stepped && record.server_us != kNoTime) {
      op.low = op.high = record.server_us;
    }
    operations.push_back(op);
  }
  return operations;
}

void add_ends(const rlctl::Log& log, const rlctl::JudgeOptions& options, Operations& operations) {
  for (Operation& op : operations) {
    const rlctl::Record& record = log.records[op.record];
    op.from = op.low;
    op.to = kHorizon;
    if (op.outcome != Outcome::allowed) continue;
    if (!log.has_finishes) {
      op.to = record.received_us + options.tolerance_us;
      op.least = options.held_at_least_us;
      op.high = std::clamp(record.received_us - op.least, op.low, op.high);
      continue;
    }
    const rlctl::Finish finish = log.finish_of(op.record);
    if (finish.sent_us != kNoTime) op.from = std::max(op.low, finish.sent_us);
    if (finish.received_us != kNoTime) op.to = std::max(op.from, finish.received_us);
  }
}

}  // namespace brute
