#include "unit/verdict/joint_force.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_set>

namespace brute {
namespace {

using rlctl::Outcome;
using rlctl::RuleKind;
using Int = std::int64_t;

constexpr Int kBefore = -1'000'000;  // before the log

struct Counted {
  Int at;
  Int cost;
};

// In flight since an instant.
struct InFlight {
  Int at;
  const Operation* op;
};

// What a limiter remembers of one rule. Instants are in parts of a µs.
struct Memory {
  std::vector<Counted> counted;
  Int missing = 0;            // of a bucket: tokens * window, times parts
  Int since = 0;              // when so much was missing
  std::optional<Int> opened;  // the window of a first hit
  Int used = 0;               // in that window
  std::optional<Int> blocked;
  std::vector<InFlight> in_flight;
};

struct Next {
  Memory memory;
  bool explains = false;
};

class Limiter {
 public:
  Limiter(const Rule& rule, Int parts, bool alone, Int first)
      : rule_(rule),
        parts_(parts),
        alone_(alone),
        first_(first),
        tolerance_(rule.options.tolerance_us * parts) {}

  std::vector<Memory> begins() const {
    std::vector<Memory> all(1);
    if (rule_.options.fresh) return all;
    if (is(RuleKind::first_hit)) add_begins(window(), &Memory::opened, all);
    if (is(RuleKind::bucket)) add_levels(all);
    if (block() > 0) add_begins(block(), &Memory::blocked, all);
    return all;
  }

  // What a request that the log does not show may do at t.
  std::vector<Memory> after_unseen(const Memory& memory, Int t) const {
    std::vector<Memory> all;
    if (rule_.options.fresh || t > history_from() || !may_be_free(memory, t)) return all;
    if (block() > 0) all.push_back(memory), all.back().blocked = t;
    if (is(RuleKind::bucket)) {
      const Int refill = std::max<Int>(1, contract().limit);
      for (Int more = missing(memory, t) + refill; more <= contract().capacity * window() + debt();
           more += refill) {
        all.push_back(memory);
        all.back().missing = more;
        all.back().since = t;
      }
    }
    if (!is(RuleKind::first_hit) || !may_have_ended(memory, t)) return all;
    all.push_back(memory);
    all.back().opened = t;
    all.back().used = 0;
    return all;
  }

  // Without what no longer matters from t on: limiters that remember the same will do the same.
  void forget(Memory& memory, Int t) const {
    std::erase_if(memory.counted,
                  [&](const Counted& each) { return t >= leaves(each.at, tolerance_); });
    memory.missing = missing(memory, t);
    memory.since = t;
    if (memory.opened && !may_last(memory, t)) {
      memory.opened.reset();
      memory.used = 0;
    }
    if (memory.blocked && t > *memory.blocked + block() + tolerance_) memory.blocked.reset();
  }

  std::vector<Memory> admit(const Memory& memory, const Operation& op, Int t) const {
    if (!counts(op)) return {memory};
    if (!may_be_free(memory, t)) return {};
    return with_room(memory, t, op);
  }

  // One of those in flight ends at t, each in turn.
  std::vector<Memory> end_one(const Memory& memory, Int t) const {
    std::vector<Memory> all;
    for (std::size_t i = 0; i < memory.in_flight.size(); ++i) {
      const auto [at, op] = memory.in_flight[i];
      Int earliest = std::max(op->from * parts_, at + op->least * parts_);
      if (lease() > 0) earliest = std::min(earliest, at + lease() - tolerance_);
      if (t < earliest) continue;
      all.push_back(memory);
      all.back().in_flight.erase(all.back().in_flight.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return all;
  }

  // Whether nothing must have ended until t.
  bool may_go_on(const Memory& memory, Int t) const {
    return std::none_of(memory.in_flight.begin(), memory.in_flight.end(), [&](const InFlight& one) {
      const Int latest = one.at + lease() + tolerance_;
      return one.op->to * parts_ <= t || (lease() > 0 && latest <= t);
    });
  }

  std::vector<Next> deny(const Memory& memory, const Operation& op, Int t) const {
    if (!counts(op)) return {{memory, false}};
    std::vector<Next> all;
    const bool may_be_blocked = memory.blocked && t <= *memory.blocked + block() + tolerance_;
    if (may_be_blocked) add(all, denied(memory, op.cost, t), true, {});
    if (!may_be_free(memory, t)) return all;
    const std::optional<Int> starts = block() > 0 ? std::optional(t) : std::nullopt;
    add(all, when_full(memory, op.cost, t), true, starts);
    if (may_be_unseen(t)) add(all, by_other(memory, op.cost, t), true, starts);
    if (!alone_ && (block() == 0 || !with_room(memory, t, op).empty()))
      add(all, by_other(memory, op.cost, t), false, {});
    return all;
  }

 private:
  bool counts(const Operation& op) const { return rule_.counts.empty() || rule_.counts[op.record]; }
  const rlctl::Rule& contract() const { return rule_.contract; }
  bool is(RuleKind kind) const { return contract().kind == kind; }
  Int block() const { return contract().block_us * parts_; }
  Int window() const { return contract().window_us * parts_; }
  Int lease() const { return contract().lease_us * parts_; }
  Int history_from() const { return rule_.history_from * parts_; }
  bool may_be_free(const Memory& memory, Int t) const {
    return !memory.blocked || t >= *memory.blocked + block() - tolerance_;
  }

  // What lasts so long may have begun before the first decision.
  void add_begins(Int length, std::optional<Int> Memory::*began, std::vector<Memory>& all) const {
    const std::vector<Memory> without = all;
    const Int begin = std::min(history_from() + 1, first_);
    for (Memory memory : without)
      for (Int at = begin - length - tolerance_; at < begin; ++at) {
        memory.*began = at;
        all.push_back(memory);
      }
  }

  // What denied requests before the log may have taken from a bucket beyond what it holds.
  Int debt() const {
    constexpr Int kLongest = 30;
    return contract().counts_denied ? kLongest * parts_ * std::max<Int>(1, contract().limit) : 0;
  }

  // What requests before the log took from a bucket: it would be full again at any instant since
  // the first decision. A refill brings `limit` with each part of a µs, and a window is a multiple
  // of that: between two multiples no decision differs.
  void add_levels(std::vector<Memory>& all) const {
    const Int refill = std::max<Int>(1, contract().limit);
    const Int begin = std::min(history_from(), first_);
    const Int most = refill * (history_from() - begin) + contract().capacity * window() + debt();
    for (Int missing = refill; missing <= most; missing += refill) {
      Memory memory;
      memory.missing = missing;
      memory.since = begin;
      all.push_back(memory);
    }
  }

  static void add(std::vector<Next>& all, std::vector<Memory> memories, bool explains,
                  std::optional<Int> block) {
    for (Memory& memory : memories) {
      if (block) memory.blocked = block;
      all.push_back({std::move(memory), explains});
    }
  }

  // So long after it began, requests before the log may still fill the rule.
  Int reach() const {
    if (is(RuleKind::in_flight)) return contract().lease_us > 0 ? contract().lease_us : -kBefore;
    if (!is(RuleKind::bucket)) return contract().window_us;
    const Int tokens = contract().capacity * contract().window_us;
    return std::max(contract().window_us, (tokens + contract().limit - 1) / contract().limit);
  }

  bool may_be_unseen(Int t) const {
    return !rule_.options.fresh && t < (rule_.history_from + reach()) * parts_ + tolerance_;
  }

  std::vector<Memory> by_other(const Memory& memory, Int cost, Int t) const {
    return contract().counts_denied ? denied(memory, cost, t) : std::vector<Memory>{memory};
  }

  Int leaves(Int x, Int stretch) const {
    if (is(RuleKind::sliding)) return x + window() + stretch + (rule_.options.closed ? parts_ : 0);
    Int edge = *contract().phase_us * parts_;
    while (edge > x) edge -= window();
    while (edge <= x) edge += window();
    return std::max(edge + stretch, x + parts_);
  }

  Int used(const Memory& memory, Int t, Int stretch) const {
    Int sum = 0;
    for (const Counted& each : memory.counted)
      if (t < leaves(each.at, stretch)) sum += each.cost;
    return sum;
  }

  // A bucket that was full is full at any time.
  Int missing(const Memory& memory, Int t) const {
    if (memory.missing == 0) return 0;
    return std::max<Int>(0, memory.missing - contract().limit * (t - memory.since));
  }

  // With a request that counts.
  Memory with(Memory memory, Int t, Int cost) const {
    if (is(RuleKind::bucket)) {
      memory.missing = missing(memory, t) + cost * window();
      memory.since = t;
    } else {
      memory.counted.push_back({t, cost});
    }
    return memory;
  }

  static Int held(const Memory& memory) {
    Int sum = 0;
    for (const InFlight& one : memory.in_flight) sum += one.op->cost;
    return sum;
  }

  std::vector<Memory> with_room(const Memory& memory, Int t, const Operation& op) const {
    const Int cost = op.cost;
    std::vector<Memory> all;
    Memory next = memory;
    if (is(RuleKind::in_flight)) {
      next.in_flight.push_back({t, &op});
      if (held(next) <= contract().limit && t + op.least * parts_ <= op.to * parts_)
        all.push_back(next);
      return all;
    }
    if (is(RuleKind::bucket)) {
      const Int most = contract().capacity * window() + contract().limit * tolerance_;
      if (missing(memory, t) + cost * window() <= most) all.push_back(with(memory, t, cost));
    } else if (!is(RuleKind::first_hit)) {
      if (used(memory, t, -tolerance_) + cost <= contract().limit)
        all.push_back(with(memory, t, cost));
    } else if (cost <= contract().limit) {
      if (may_last(memory, t) && memory.used + cost <= contract().limit) {
        next.used = memory.used + cost;
        all.push_back(next);
      }
      if (may_have_ended(memory, t)) {
        next.opened = t;
        next.used = cost;
        all.push_back(next);
      }
    }
    return all;
  }

  bool may_last(const Memory& memory, Int t) const {
    if (!memory.opened) return false;
    return t < *memory.opened + window() + tolerance_;
  }
  bool may_have_ended(const Memory& memory, Int t) const {
    return !memory.opened || t >= *memory.opened + window() - tolerance_;
  }

  std::vector<Memory> when_full(const Memory& memory, Int cost, Int t) const {
    const Int limit = contract().limit;
    if (is(RuleKind::in_flight))
      return held(memory) + cost > limit ? std::vector<Memory>{memory} : std::vector<Memory>();
    if (is(RuleKind::bucket)) {
      const Int room = (contract().capacity - cost) * window() - limit * tolerance_;
      return missing(memory, t) > room ? denied(memory, cost, t) : std::vector<Memory>();
    }
    if (!is(RuleKind::first_hit))
      return used(memory, t, tolerance_) + cost > limit ? denied(memory, cost, t)
                                                        : std::vector<Memory>();
    if (cost > limit) return denied(memory, cost, t);
    if (!may_last(memory, t) || memory.used + cost <= limit) return {};
    Memory next = memory;
    if (contract().counts_denied) next.used += cost;
    return {next};
  }

  // What a denial may do to the memory, whatever its reason.
  std::vector<Memory> denied(const Memory& memory, Int cost, Int t) const {
    if (!is(RuleKind::first_hit))
      return {contract().counts_denied ? with(memory, t, cost) : memory};
    Memory next = memory;
    std::vector<Memory> all;
    if (!contract().counts_denied || cost > contract().limit || block() > 0) all = {memory};
    if (may_have_ended(memory, t)) {
      next.opened = t;
      next.used = contract().counts_denied ? cost : 0;
      all.push_back(next);
    }
    if (contract().counts_denied && may_last(memory, t)) {
      next = memory;
      next.used += cost;
      all.push_back(next);
    }
    return all;
  }

  const Rule& rule_;
  Int parts_;
  bool alone_;
  Int first_;  // no decision is earlier
  Int tolerance_;
};

class Search {
 public:
  Search(const Operations& operations, const std::vector<Rule>& rules) : operations_(operations) {
    for (const Rule& rule : rules)
      if (rule.contract.kind == RuleKind::bucket)
        parts_ = std::lcm(parts_, parts_of_a_token(rule.contract));
    for (const Operation& op : operations) {
      first_ = std::min(first_, op.low * parts_);
      if (op.outcome != Outcome::unknown) last_ = std::max(last_, op.high * parts_);
    }
    for (const Rule& rule : rules) limiters_.emplace_back(rule, parts_, rules.size() == 1, first_);
  }

  bool run() { return begin({}); }

 private:
  using Memories = std::vector<Memory>;

  static Int parts_of_a_token(const rlctl::Rule& rule) {
    const Int limit = std::max<Int>(1, rule.limit);
    return limit / std::gcd(limit, rule.window_us);
  }

  bool begin(Memories memories) {
    if (memories.size() == limiters_.size()) return from(first_, 0, memories);
    for (const Memory& memory : limiters_[memories.size()].begins()) {
      Memories more = memories;
      more.push_back(memory);
      if (begin(std::move(more))) return true;
    }
    return false;
  }

  bool from(Int t, unsigned decided, Memories memories) {
    for (std::size_t i = 0; i < memories.size(); ++i) limiters_[i].forget(memories[i], t);
    if (!known_.insert(name(t, decided, memories)).second) return false;
    bool all = true;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const Operation& op = operations_[i];
      if ((decided >> i & 1U) != 0 || op.outcome == Outcome::unknown) continue;
      if (op.high * parts_ < t) return false;
      all = false;
    }
    if (all) return true;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const Operation& op = operations_[i];
      if ((decided >> i & 1U) != 0 || t < op.low * parts_ || t > op.high * parts_) continue;
      if (decide(t, decided | 1U << i, op, memories)) return true;
    }
    if (change_any(t, decided, memories)) return true;
    for (std::size_t i = 0; i < limiters_.size(); ++i)
      if (!limiters_[i].may_go_on(memories[i], t)) return false;
    return t < last_ && from(t + 1, decided, memories);
  }

  // Something happens that is no decision of the log.
  bool change_any(Int t, unsigned decided, const Memories& memories) {
    for (std::size_t i = 0; i < limiters_.size(); ++i) {
      std::vector<Memory> changed = limiters_[i].end_one(memories[i], t);
      std::ranges::copy(limiters_[i].after_unseen(memories[i], t), std::back_inserter(changed));
      for (const Memory& memory : changed) {
        Memories more = memories;
        more[i] = memory;
        if (from(t, decided, more)) return true;
      }
    }
    return false;
  }

  bool decide(Int t, unsigned decided, const Operation& op, const Memories& memories) {
    if (op.outcome != Outcome::denied && admit(t, decided, op, memories, {})) return true;
    return op.outcome != Outcome::allowed && deny(t, decided, op, memories, {}, false);
  }

  bool admit(Int t, unsigned decided, const Operation& op, const Memories& before, Memories after) {
    const std::size_t i = after.size();
    if (i == before.size()) return from(t, decided, after);
    for (const Memory& memory : limiters_[i].admit(before[i], op, t)) {
      Memories more = after;
      more.push_back(memory);
      if (admit(t, decided, op, before, std::move(more))) return true;
    }
    return false;
  }

  bool deny(Int t, unsigned decided, const Operation& op, const Memories& before, Memories after,
            bool explained) {
    const std::size_t i = after.size();
    if (i == before.size()) return explained && from(t, decided, after);
    for (const Next& next : limiters_[i].deny(before[i], op, t)) {
      Memories more = after;
      more.push_back(next.memory);
      if (deny(t, decided, op, before, std::move(more), explained || next.explains)) return true;
    }
    return false;
  }

  static std::string name(Int t, unsigned decided, const Memories& memories) {
    std::string text;
    const auto add = [&](Int number) {
      text.append(reinterpret_cast<const char*>(&number), sizeof number);
    };
    add(t);
    add(decided);
    for (const Memory& m : memories) {
      add(std::ssize(m.counted));
      for (const Counted& each : m.counted) add(each.at), add(each.cost);
      add(m.missing);
      add(m.opened.value_or(-2 * kBefore));
      add(m.used);
      add(m.blocked.value_or(kBefore));
      add(std::ssize(m.in_flight));
      for (const InFlight& one : m.in_flight) add(one.op->record), add(one.at);
    }
    return text;
  }

  const Operations& operations_;
  Int parts_ = 1;
  std::vector<Limiter> limiters_;
  Int first_ = 1'000;
  Int last_ = -1'000;
  std::unordered_set<std::string> known_;
};

}  // namespace

bool some_placement_explains(const Operations& operations, std::vector<Rule> rules) {
  // Without a first decision, a rule could begin with thousands of levels and blocks.
  if (operations.empty()) return true;
  const auto unknown = std::find_if(rules.begin(), rules.end(), [](const Rule& rule) {
    return rule.contract.has_unknown_phase();
  });
  if (unknown == rules.end()) return Search(operations, rules).run();
  for (Int phase = 0; phase < unknown->contract.window_us; ++phase) {
    unknown->contract.phase_us = phase;
    if (some_placement_explains(operations, rules)) return true;
  }
  return false;
}

}  // namespace brute
