#include "verdict/outcome/header_truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "base/escape.h"
#include "base/units.h"
#include "verdict/history.h"
#include "verdict/verdict.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostExamples = 3;
// A reset is given in whole seconds, or relative to a Date that is rounded down to a second.
constexpr std::int64_t kCoarseResetUs = 2'000'000;

bool is_promise(const Record& record) {
  return record.remaining >= 0 || record.retry_after_us >= 0 || record.reset_ms != kNoReset;
}

// The operations of one key, by the time they were sent, as indexes into the log's records.
using Sequence = std::vector<std::uint32_t>;

std::vector<Sequence> sequences_of(const Log& log) {
  std::vector<Sequence> by_key(log.keys.size());
  for (std::uint32_t i = 0; i < log.records.size(); ++i) {
    const Record& record = log.records[i];
    if (record.outcome == Outcome::failed || record.sent_us == kNoTime) continue;
    if (record.key >= by_key.size()) by_key.resize(record.key + 1);
    by_key[record.key].push_back(i);
  }
  for (Sequence& sequence : by_key)
    std::stable_sort(sequence.begin(), sequence.end(), [&](std::uint32_t a, std::uint32_t b) {
      return log.records[a].sent_us < log.records[b].sent_us;
    });
  return by_key;
}

bool is_answered(const Record& record) {
  return record.outcome <= Outcome::denied && record.received_us != kNoTime;
}

std::int64_t end_of(const Record& record) {
  return is_answered(record) ? record.received_us : kOpenEnd;
}

// Two answered operations of a key, one after the other; no other operation of the key overlaps
// them.
struct Pair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
};

// Those of one key.
struct KeyPairs {
  std::int64_t first_sent_us = kNoTime;  // of all operations
  std::vector<Pair> pairs;
};

KeyPairs lone_pairs(const Log& log, const Sequence& sequence) {
  KeyPairs result;
  std::int64_t earlier_end_us = kNoTime;  // of all operations before `first`
  for (std::size_t i = 0; i + 1 < sequence.size(); ++i) {
    const Record& first = log.records[sequence[i]];
    const Record& second = log.records[sequence[i + 1]];
    const bool alone_before = earlier_end_us <= first.sent_us;
    const bool apart = end_of(first) <= second.sent_us && is_answered(second);
    const bool alone_after =
        i + 2 >= sequence.size() || log.records[sequence[i + 2]].sent_us >= end_of(second);
    if (alone_before && apart && alone_after)
      result.pairs.push_back({sequence[i], sequence[i + 1]});
    earlier_end_us = std::max(earlier_end_us, end_of(first));
  }
  if (!sequence.empty()) result.first_sent_us = log.records[sequence.front()].sent_us;
  return result;
}

// Of each key. None if the service promised nothing: each check compares a promise with what came.
std::vector<KeyPairs> lone_pairs(const Log& log) {
  std::vector<KeyPairs> by_key;
  if (std::ranges::none_of(log.records, is_promise)) return by_key;
  for (const Sequence& sequence : sequences_of(log)) by_key.push_back(lone_pairs(log, sequence));
  return by_key;
}

void add_example(std::vector<std::uint32_t>& records, std::uint32_t record) {
  if (records.size() < kMostExamples) records.push_back(record);
}

// Its promise began at an instant of its round trip, and clocks and records are no finer than 1 ms.
std::int64_t tolerance_after(const Record& answer) {
  return answer.received_us - answer.sent_us + kPromiseClockUs;
}

// What the promises of one key were worth. A client that returned too early may have prolonged its
// denial, so only denials of those who obeyed every promise since the first one show its error.
class PromiseCheck {
 public:
  PromiseCheck(const Log& log, const std::function<bool(const Record&)>& counts)
      : log_(log), counts_(counts) {}

  void check(const KeyPairs& key) {
    later_ = {};
    const std::size_t known = found_.breaks.size();
    for (auto pair = key.pairs.rbegin(); pair != key.pairs.rend(); ++pair)
      later_ = {pair->first, denied_until(*pair)};
    std::reverse(found_.breaks.begin() + static_cast<std::ptrdiff_t>(known), found_.breaks.end());
  }

  KeptPromises take() { return std::move(found_); }

 private:
  // From this request on, those who obeyed were denied up to then.
  struct Denied {
    std::uint32_t first = 0;
    std::int64_t until_us = kNoTime;
  };

  // kNoTime: the pair shows no denial in spite of a promise.
  std::int64_t denied_until(const Pair& pair) {
    const Record& denial = log_.records[pair.first];
    const Record& test = log_.records[pair.second];
    const bool is_promised = denial.outcome == Outcome::denied && denial.retry_after_us >= 0;
    if (!is_promised || (counts_ && !counts_(test))) return kNoTime;
    note_admission(denial, pair.second);
    const std::int64_t promised_us = denial.received_us + denial.retry_after_us;
    if (test.sent_us < promised_us) return kNoTime;
    const bool is_denied = test.outcome == Outcome::denied;
    std::int64_t until_us = test.sent_us + std::max<std::int64_t>(0, test.retry_after_us);
    if (later_.until_us != kNoTime && later_.first == pair.second)
      until_us = std::max(until_us, later_.until_us);
    note_test(denial, pair.second, is_denied ? until_us - promised_us : 0);
    return is_denied ? until_us : kNoTime;
  }

  void note_test(const Record& denial, std::uint32_t test, std::int64_t error_us) {
    const bool is_denied = log_.records[test].outcome == Outcome::denied;
    const std::int64_t tolerance_us = tolerance_after(denial);
    if (is_denied && error_us <= tolerance_us) return;
    ++found_.tested;
    found_.tolerance_us = std::max(found_.tolerance_us, tolerance_us);
    if (!is_denied) return;
    ++found_.broken;
    found_.breaks.push_back(test);
    found_.error_us = std::max(found_.error_us, error_us);
  }

  void note_admission(const Record& denial, std::uint32_t test) {
    const Record& next = log_.records[test];
    const std::int64_t early_us = denial.sent_us + denial.retry_after_us - next.received_us;
    if (next.outcome != Outcome::allowed || next.cost < denial.cost) return;
    // A wait that is the reset of an exhausted limit is told as such.
    if (denial.reset_ms != kNoReset && us_of_ms(denial.reset_ms) >= denial.retry_after_us) return;
    if (early_us < kCoarseResetUs) return;
    ++found_.early;
    found_.early_us = std::max(found_.early_us, early_us);
    add_example(found_.early_records, test);
  }

  const Log& log_;
  const std::function<bool(const Record&)>& counts_;
  Denied later_;
  KeptPromises found_;
};

KeptPromises kept_promises(const Log& log, std::span<const KeyPairs> by_key,
                           const std::function<bool(const Record&)>& counts = {}) {
  PromiseCheck check(log, counts);
  for (const KeyPairs& key : by_key) check.check(key);
  return check.take();
}

// Seconds that a service rounds down lack less than one.
std::string wait_too_short(const KeptPromises& promises) {
  return fmt::format(
      "clients that waited for Retry-After were denied again, {} of {} times: it is too short by "
      "up to {}{}",
      format_count(promises.broken), format_count(promises.tested),
      format_duration_for_people(promises.error_us),
      promises.error_us < kSecondUs ? " (seconds rounded down?)" : "");
}

std::string times(std::int64_t count) {
  return count == 1 ? "once" : format_count(count) + " times";
}

std::string in_words(const QuotaPolicy& policy) {
  if (policy.window_us == kNoTime) return format_count(policy.quota);
  return fmt::format("{} per {}", format_count(policy.quota), format_duration(policy.window_us));
}

// Where a quota was said: a limit without a window has a field of its own.
std::string field_of(const QuotaPolicy& told) {
  if (!told.name.empty()) return "RateLimit-Policy " + in_quotes(told.name);
  return told.window_us == kNoTime ? "the field of the limit" : "RateLimit-Policy";
}

// A window was found within 2 %, and is told in whole seconds, rounded up.
bool are_close(std::int64_t told_us, std::int64_t found_us) {
  const std::int64_t inexact_us = found_us / 50;
  return told_us >= found_us - inexact_us && told_us < found_us + inexact_us + kSecondUs;
}

// Of a bucket, a service may tell the capacity, or the rate of the refill. Of a penalty the window
// is only known to be no longer.
bool agrees(const QuotaPolicy& told, const Rule& found) {
  if (found.row().takes_capacity && told.quota == found.capacity) return true;
  if (told.quota != found.limit) return false;
  if (told.window_us == kNoTime || !found.has_window()) return true;
  if (found.block_us > 0) return told.window_us < found.window_us + kSecondUs;
  return are_close(told.window_us, found.window_us);
}

class Findings {
 public:
  Findings(const Log& log, const HeaderClaims& claims, const Rules& found)
      : log_(log), claims_(claims), found_(found), by_key_(lone_pairs(log)) {}

  std::vector<HeaderFinding> find() {
    check_waits();
    check_resets();
    for (const QuotaPolicy& policy : claims_.policies)
      if (!compare(policy)) check_policy(policy);
    check_remaining();
    check_fields();
    std::stable_sort(
        findings_.begin(), findings_.end(),
        [](const HeaderFinding& a, const HeaderFinding& b) { return a.kind < b.kind; });
    return std::move(findings_);
  }

 private:
  void add(FindingKind kind, std::string words, std::vector<std::uint32_t> records = {}) {
    if (records.size() > kMostExamples) records.resize(kMostExamples);
    findings_.push_back({kind, std::move(words), std::move(records)});
  }

  void check_waits() {
    for (HeaderFinding& finding : findings_on(kept_promises(log_, by_key_)))
      add(finding.kind, std::move(finding.words), std::move(finding.records));
  }

  // The reset of an exhausted limit promises two things: no admission before it, and an admission
  // after it.
  void check_resets() {
    HeaderFinding late;
    HeaderFinding early;
    std::int64_t waited = 0;
    std::int64_t denied = 0;
    std::int64_t admitted = 0;
    std::int64_t earliest_us = 0;
    for (const KeyPairs& key : by_key_) {
      for (const Pair& pair : key.pairs) {
        const Record& first = log_.records[pair.first];
        const Record& second = log_.records[pair.second];
        if (first.reset_ms == kNoReset || second.cost > 1) continue;
        const std::int64_t reset_us = std::int64_t{first.reset_ms} * 1'000;
        const std::int64_t early_us = first.sent_us + reset_us - second.received_us;
        if (second.outcome == Outcome::allowed && early_us >= kCoarseResetUs) {
          ++admitted;
          earliest_us = std::max(earliest_us, early_us);
          add_example(early.records, pair.second);
        }
        // If Retry-After asks for as long or longer, Retry-After is the promise.
        const std::int64_t promised_us = first.received_us + reset_us;
        if (second.sent_us < promised_us || first.retry_after_us >= reset_us) continue;
        const bool is_denied = second.outcome == Outcome::denied;
        if (is_denied && second.sent_us < promised_us + tolerance_after(first)) continue;
        ++waited;
        if (!is_denied) continue;
        ++denied;
        add_example(late.records, pair.second);
      }
    }
    if (denied > 0)
      add(FindingKind::untrue,
          fmt::format("clients that waited for the reset of an exhausted limit were denied, {} of "
                      "{} times",
                      format_count(denied), format_count(waited)),
          std::move(late.records));
    if (admitted > 0)
      add(FindingKind::untrue,
          fmt::format("an exhausted limit admitted a request before its reset, {}: up to {} early",
                      times(admitted), format_duration_for_people(earliest_us)),
          std::move(early.records));
  }

  void check_policy(const QuotaPolicy& policy) {
    if (policy.unit != "requests" || policy.window_us == kNoTime || policy.quota < 1) return;
    Rule rule;
    rule.limit = policy.quota;
    rule.window_us = policy.window_us;
    rule.block_us = log_.policy.block_us;
    JudgeOptions options;
    options.tolerance_us = std::min(log_.terms.tolerance_us, rule.window_us - 1);
    const Figures figures = judge_rules(log_, {rule}, options).totals;
    if (figures.max_certain > policy.quota)
      add(FindingKind::untrue,
          fmt::format("RateLimit-Policy {} says {}, but {} were admitted in one such window",
                      in_quotes(policy.name), in_words(policy), format_count(figures.max_certain)),
          figures.worst_window.records);
    const auto false_denials = static_cast<std::int64_t>(figures.certain_false_denials.size());
    if (false_denials > 0)
      add(claims_.policies.size() > 1 ? FindingKind::hint : FindingKind::untrue,
          fmt::format("RateLimit-Policy {} says {}, but requests below that were denied, {}",
                      in_quotes(policy.name), in_words(policy), times(false_denials)),
          figures.certain_false_denials);
  }

  // Whether it could be compared. With several policies, one that allows more than was sent may be
  // true too.
  bool compare(const QuotaPolicy& told) {
    if (found_.empty() || told.unit != "requests" || told.quota < 1) return false;
    const auto is_told = [&](const Rule& rule) { return agrees(told, rule); };
    const std::string said = field_of(told) + " says " + in_words(told);
    if (std::ranges::any_of(found_, is_told))
      return add(FindingKind::agrees, said + ", and that was found"), true;
    if (claims_.policies.size() > 1 && told.quota > found_.back().most_at_once()) return false;
    std::string found;
    for (const Rule& rule : found_)
      found += (found.empty() ? "" : " and ") +
               (rule.block_us > 0 ? "a limit of " + format_count(rule.limit) : rate_in_words(rule));
    const auto has_limit = [&](const Rule& rule) { return rule.limit == told.quota; };
    add(FindingKind::untrue,
        fmt::format("{}, but {} was found: the {} differs", said, found,
                    std::ranges::any_of(found_, has_limit) ? "window" : "limit"));
    return true;
  }

  // In a key's first window no admission expires. One edge of an aligned window may lie in it, and
  // a bucket may refill. Apart from these, each admission must reduce the remaining count.
  void check_remaining() {
    HeaderFinding rises;
    HeaderFinding denials;
    std::int64_t risen = 0;
    std::int64_t not_kept = 0;
    for (const KeyPairs& key : by_key_) {
      std::int64_t here = 0;
      std::int64_t span_us = 0;
      for (const Pair& pair : key.pairs) {
        const Record& first = log_.records[pair.first];
        const Record& second = log_.records[pair.second];
        if (second.outcome == Outcome::denied &&
            first.remaining >= static_cast<std::int64_t>(second.cost)) {
          ++not_kept;
          add_example(denials.records, pair.second);
        }
        span_us = second.received_us - key.first_sent_us;
        const bool both_admitted =
            first.outcome == Outcome::allowed && second.outcome == Outcome::allowed;
        const bool told = first.remaining >= 0 && second.remaining >= 0;
        if (span_us >= log_.policy.window_us || !both_admitted || !told) continue;
        if (second.remaining < first.remaining) continue;
        ++here;
        add_example(rises.records, pair.second);
      }
      risen += std::max<std::int64_t>(0, here - 1 - refills(span_us));
    }
    if (risen > 0)
      add(FindingKind::untrue,
          fmt::format("the remaining count did not fall after an admission, {}", times(risen)),
          std::move(rises.records));
    if (not_kept > 0)
      add(FindingKind::hint,
          fmt::format("the remaining count was sufficient, but the next request was denied, {}",
                      times(not_kept)),
          std::move(denials.records));
  }

  std::int64_t refills(std::int64_t span_us) const {
    if (log_.policy.window_us <= 0) return 0;
    return static_cast<std::int64_t>(static_cast<double>(span_us) *
                                     static_cast<double>(log_.policy.limit) /
                                     static_cast<double>(log_.policy.window_us));
  }

  void check_fields() {
    for (const auto& [name, count] : claims_.malformed)
      add(FindingKind::breach,
          fmt::format("{} is malformed and must be ignored, {}", in_quotes(name), times(count)));
    if (claims_.early_waits > 0)
      add(FindingKind::breach,
          fmt::format("Retry-After is shorter than the reset of an exhausted limit, {}",
                      times(claims_.early_waits)));
    if (claims_.waits_of_zero > 0)
      add(FindingKind::breach,
          fmt::format("a denial says to retry at once (Retry-After: 0, or a reset of 0), {}",
                      times(claims_.waits_of_zero)));
    if (claims_.waits_until_past > 0)
      add(FindingKind::breach,
          fmt::format("a denial says to retry at a time that is over (Retry-After is a date), {}",
                      times(claims_.waits_until_past)));
    if (claims_.absurd_waits > 0)
      add(FindingKind::breach,
          fmt::format("a denial says to wait for more than a year, {}: a timestamp in place of a "
                      "delay?",
                      times(claims_.absurd_waits)));
    if (claims_.denials_without_wait > 0)
      add(FindingKind::hint,
          fmt::format("{} {} no Retry-After and no reset",
                      format_count(claims_.denials_without_wait),
                      claims_.denials_without_wait == 1 ? "denial had" : "denials had"));
  }

  const Log& log_;
  const HeaderClaims& claims_;
  const Rules& found_;
  const std::vector<KeyPairs> by_key_;
  std::vector<HeaderFinding> findings_;
};

}  // namespace

KeptPromises check_promises(const Log& log, const std::function<bool(const Record&)>& counts) {
  return kept_promises(log, lone_pairs(log), counts);
}

KeptPromises waits_in(const Log& log) {
  const auto has_status = [](const Record& record) { return record.status != 0; };
  if (!log.is_whole() || std::ranges::none_of(log.records, has_status)) return {};
  return check_promises(log);
}

void KeptPromises::add(const KeptPromises& other) {
  tested += other.tested;
  broken += other.broken;
  error_us = std::max(error_us, other.error_us);
  tolerance_us = std::max(tolerance_us, other.tolerance_us);
  early += other.early;
  early_us = std::max(early_us, other.early_us);
}

std::vector<HeaderFinding> findings_on(const KeptPromises& promises) {
  std::vector<HeaderFinding> findings;
  if (promises.broken > 0)
    findings.push_back({FindingKind::untrue, wait_too_short(promises), promises.breaks});
  if (promises.early > 0)
    findings.push_back(
        {FindingKind::untrue,
         fmt::format("clients were admitted before the time of Retry-After (or a reset), {}: it is "
                     "too long by "
                     "up to {}",
                     times(promises.early), format_duration_for_people(promises.early_us)),
         promises.early_records});
  return findings;
}

std::string note_on(const HeaderFinding& finding) {
  return fmt::format("headers, {}: {}", name_of(finding.kind), finding.words);
}

std::vector<HeaderFinding> header_findings(const Log& log, const HeaderClaims& claims,
                                           const Rules& found) {
  // What headers said of a client, the requests that are missing may explain.
  if (!log.is_whole()) return {};
  return Findings(log, claims, found).find();
}

}  // namespace rlctl
