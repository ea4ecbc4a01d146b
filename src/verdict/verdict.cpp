#include "verdict/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"
#include "log/rule_keys.h"
#include "verdict/algorithm/clock_offset.h"
#include "verdict/algorithm/step_function.h"
#include "verdict/history.h"
#include "verdict/judge_key.h"
#include "verdict/judge_own_keys.h"
#include "verdict/notes.h"

namespace rlctl {
namespace {

void check_usable(const Rules& rules, const JudgeOptions& options) {
  if (rules.empty())
    throw Error(Exit::usage, "there is no policy to judge by",
                "add --policy 100/1m, or use a log whose header has a policy");
  for (const Rule& rule : rules)
    if (rule.has_window() && (options.tolerance_us < 0 || options.tolerance_us >= rule.window_us))
      throw Error(Exit::usage,
                  fmt::format("the tolerance of {} us is not shorter than the window of {} us",
                              options.tolerance_us, rule.window_us),
                  "use a tolerance shorter than the window");
  for (const Rule& rule : rules)
    if (rule.step_us > 0 && (rules.size() > 1 || rule.block_us > 0))
      throw Error(Exit::usage, "a bucket by steps is judged alone, and without a block",
                  "judge the other rules in a second run");
}

// The clock and the width of the intervals for these rules. An offset that is the same for every
// operation cancels out, unless windows are aligned to the limiter's clock.
Frame frame_of(const ClockOffset& offset, const Rules& rules, const JudgeOptions& options) {
  Frame frame;
  frame.max_inflight_us = options.max_inflight_us;
  frame.stamps = options.use_server_stamps && offset.usable();
  const bool aligned = std::ranges::any_of(rules, &Rule::has_known_phase);
  if (frame.stamps || (aligned && offset.stamps > 0)) {
    frame.offset_low = std::min(offset.low_us, offset.high_us);
    frame.offset_high = std::max(offset.low_us, offset.high_us);
  } else if (aligned) {
    frame.offset_low = options.offset_low_us;
    frame.offset_high = options.offset_high_us;
  }
  frame.offset_low -= options.slow_before_us;
  frame.offset_high += options.slow_after_us;
  return frame;
}

// The latest instant at which the operation was known to be in flight, by the limiter's clock.
std::int64_t last_seen(const Record& record, std::uint32_t index, const Frame& frame) {
  if (record.outcome != Outcome::unknown) return place(record, index, frame).high_us;
  return std::max(record.sent_us, record.received_us) + frame.offset_high;
}

// A log begins no later than its first decision. The decision's place in its interval is unknown
// (with a stamp in whole seconds, earlier requests of that second may be missing), so the end of
// the interval is used.
std::int64_t history_start(const Log& log, const Frame& frame, const JudgeOptions& options) {
  if (options.history_from_us) return *options.history_from_us + frame.offset_high;
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::int64_t start = kNone;
  for (std::uint32_t i = 0; i < log.records.size(); ++i) {
    if (log.records[i].outcome == Outcome::failed) continue;
    start = std::min(start, last_seen(log.records[i], i, frame));
  }
  return start == kNone ? 0 : start;
}

// ": 'ann'" if the rule has a key of its own, so that the log's key does not tell whose it is.
std::string whose(const Log& log, const Judgement& judgement) {
  const std::vector<std::uint32_t>& records = judgement.totals.worst_window.records;
  if (judgement.rule().per.empty() || records.empty()) return {};
  return ": " + in_quotes(key_under(log, judgement.rule(), records.front()).value_or(""));
}

std::string over_admission_reason(const Log& log, const Judgement& judgement) {
  const Figures& totals = judgement.totals;
  const std::string rate = rate_in_words(judgement.rule()) + whose(log, judgement);
  if (totals.proof == Proof::block) {
    return fmt::format("{} admitted during a block of {} after a denial",
                       counted(totals.admitted_in_blocks, "request was", "requests were"),
                       format_duration(judgement.rule().block_us));
  }
  if (totals.proof == Proof::schedule) {
    return fmt::format(
        "no possible order of the admissions keeps {}, but no single window proves it", rate);
  }
  const std::int64_t span = totals.worst_window.to_us - totals.worst_window.from_us;
  return fmt::format("{}, but the limit is {}",
                     found_in_words(judgement.rule(), totals.max_certain, span), rate);
}

// "2 targets admitted 1.98 times the limit". Where windows begin is not always known.
std::string overshoot_in_words(const Log& log, const Figures& totals) {
  const char* const least = totals.max_possible > totals.max_certain ? "at least " : "";
  return fmt::format("{} targets admitted {}{:.2f} times the limit", log.targets.size(), least,
                     totals.overshoot);
}

std::string contradiction(const Judgement& judgement) {
  return fmt::format("no order of the decisions explains both the admissions and the denials by {}",
                     rate_in_words(judgement.rule()));
}

std::string violated_reason(const Log& log, const Judgement& judgement) {
  const auto wrong = static_cast<std::int64_t>(judgement.totals.certain_false_denials.size());
  const auto denials =
      fmt::format("{} of {} {} wrong: the limit had not been reached", format_count(wrong),
                  counted(judgement.totals.denied, "denial"), wrong == 1 ? "was" : "were");
  if (wrong == 0 && judgement.totals.together == Together::impossible)
    return contradiction(judgement);
  if (!judgement.violations.over_admission) return denials;
  std::string over = over_admission_reason(log, judgement);
  if (log.targets.size() > 1) over += ": " + overshoot_in_words(log, judgement.totals);
  return judgement.violations.false_denial ? fmt::format("{}; {}", over, denials) : over;
}

bool too_many_false_denials(const Figures& totals, double allowed_share) {
  const auto count = static_cast<double>(totals.certain_false_denials.size()) +
                     static_cast<double>(totals.contradictions);
  return count > allowed_share * static_cast<double>(totals.denied);
}

bool any_undetermined(const Judgement& judgement) {
  const auto undetermined = [](const KeyFigures& key) {
    return key.figures.proof == Proof::undetermined;
  };
  return judgement.totals.proof == Proof::undetermined ||
         std::ranges::any_of(judgement.keys, undetermined);
}

bool has_actual_costs(const Log& log) {
  return std::ranges::any_of(log.finishes,
                             [](const Finish& finish) { return finish.actual_cost >= 0; });
}

std::int64_t used_by(const Log& log, std::uint32_t record) {
  const Finish finish = log.finish_of(record);
  return finish.actual_cost >= 0 ? finish.actual_cost : log.records[record].cost;
}

// The largest part of the sum that may have been used by requests in flight at one instant.
double share_in_flight(const Log& log, const std::vector<std::uint32_t>& records) {
  Depth flight;
  std::int64_t sum = 0;
  for (const std::uint32_t index : records) {
    const Record& record = log.records[index];
    const Finish finish = log.finish_of(index);
    const std::int64_t cost = used_by(log, index);
    const std::int64_t answered_us = std::max(record.received_us, record.sent_us);
    flight.add(record.sent_us, std::max(answered_us, finish.sent_us) + 1, cost);
    sum += cost;
  }
  flight.build();
  return static_cast<double>(flight.most()) / static_cast<double>(std::max<std::int64_t>(sum, 1));
}

// "663 were used in the worst window, 6.63 times what 100 per 1m allows: up to 100 % of it by
// requests in flight at once".
std::string used_in_words(const Judgement& judgement) {
  const Figures& totals = judgement.totals;
  return fmt::format(
      "{} used in the worst window, {:.2f} times what {} allows: up to {:.0f} % of it by requests "
      "in flight at once",
      format_count(totals.max_certain), totals.overshoot, rate_in_words(judgement.rule()),
      *totals.in_flight_share * 100);
}

// The input shared by all judgements of a log.
struct Evidence {
  const Log& log;
  ClockOffset offset;
  Doubt doubt;  // about the run as a whole
  UnansweredBounds unanswered;
  const JudgeOptions& options;
};

// Without the rest nothing can be decided: its admissions may explain this part's denials, and
// count together with its admissions.
void say_nothing_of(const Log& part, Judgement& judgement) {
  if (!part.cut.empty()) {
    judgement.reason = "the log was cut: " + part.cut;
    judgement.remedy = "use the whole log, or play the run again";
    return;
  }
  judgement.reason = "this log is only part " + escape_for_terminal(part.shard) + " of a run";
  if (!part.missing.empty()) judgement.reason += "; missing: " + escape_for_terminal(part.missing);
  judgement.remedy = "use rlctl verify with the logs of all parts";
}

// Whether the time of a decision is known to less than half of the shortest window. If not, a
// placement that keeps the rules is no evidence: nearly any log has one.
class Coarseness {
 public:
  explicit Coarseness(const Rules& rules) {
    for (const Rule& rule : rules) span_us_ = std::min(span_us_, memory_us(rule));
  }

  void add(const History& history) {
    all_ += history.admitted.size();
    for (const Placement& p : history.admitted)
      coarse_ += static_cast<double>(p.high_us - p.low_us) > span_us_ / 2;
  }
  bool is_too_coarse() const { return 2 * coarse_ > all_; }

 private:
  // How long an admission counts: a window, or the time in which an empty bucket fills.
  static double memory_us(const Rule& rule) {
    if (!rule.has_window()) return std::numeric_limits<double>::max();
    const auto window_us = static_cast<double>(rule.window_us);
    if (!rule.row().takes_capacity || rule.limit == 0) return window_us;
    return window_us * static_cast<double>(rule.capacity) / static_cast<double>(rule.limit);
  }

  double span_us_ = std::numeric_limits<double>::max();
  std::size_t all_ = 0;
  std::size_t coarse_ = 0;
};

// Violated has priority over inconclusive, and inconclusive over holds.
void decide(const Evidence& evidence, const Coarseness& coarseness, Judgement& judgement) {
  if (evidence.log.shard != kWholeRun || !evidence.log.cut.empty())
    return say_nothing_of(evidence.log, judgement);
  judgement.violations.over_admission = judgement.totals.over_admission == OverAdmission::certain;
  judgement.violations.false_denial =
      too_many_false_denials(judgement.totals, evidence.options.allowed_false_denials);
  if (judgement.violations.over_admission || judgement.violations.false_denial) {
    judgement.verdict = VerdictKind::violated;
    judgement.reason = violated_reason(evidence.log, judgement);
  } else if (!evidence.doubt.reason.empty()) {
    judgement.reason = evidence.doubt.reason;
    judgement.remedy = evidence.doubt.remedy;
  } else if (2 * judgement.totals.unverifiable_denials > judgement.totals.denied) {
    judgement.reason = fmt::format(
        "{} of {} denials could not be checked: earlier requests may explain them",
        format_count(judgement.totals.unverifiable_denials), format_count(judgement.totals.denied));
    judgement.remedy = "add --fresh if no key was used before";
  } else if (any_undetermined(judgement)) {
    judgement.reason =
        fmt::format("the log does not prove whether {} was kept", rate_in_words(judgement.rule()));
    judgement.remedy = what_would_decide(judgement.rule(), evidence.offset, evidence.options);
  } else if (judgement.totals.together == Together::not_found) {
    judgement.reason =
        "each decision can be explained by itself, but no order of all decisions that explains "
        "them together was found";
    judgement.remedy = what_would_decide(judgement.rule(), evidence.offset, evidence.options);
  } else if (judgement.totals.proof == Proof::witness && coarseness.is_too_coarse()) {
    judgement.reason = fmt::format(
        "the times are too coarse for {}: {} may have held {} to {} admissions",
        rate_in_words(judgement.rule()), span_in_words(judgement.rule()),
        format_count(judgement.totals.max_certain), format_count(judgement.totals.max_possible));
    judgement.remedy =
        "log milliseconds ($msec in nginx) and the duration of each request ($request_time)";
  } else {
    judgement.verdict = VerdictKind::holds;
    judgement.reason = "no decision broke the rule";
  }
}

// Sorts indexes, because figures are too large to move during sorting.
std::vector<KeyFigures> worst_first(std::vector<KeyFigures> keys) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return guiltier(keys[a].figures, keys[b].figures);
  });
  std::vector<KeyFigures> sorted;
  sorted.reserve(keys.size());
  for (const std::uint32_t index : order) sorted.push_back(std::move(keys[index]));
  return sorted;
}

std::int64_t grain_of(const JudgeOptions& options) {
  return std::max<std::int64_t>(1, options.tolerance_us);
}

// As history_start(), where there are several servers.
std::int64_t start_by_our_clock(const Log& log, const JudgeOptions& options) {
  if (options.history_from_us) return *options.history_from_us;
  std::int64_t start_us = kOpenEnd;
  for (const Record& record : log.records) {
    const std::int64_t seen_us = std::max(record.sent_us, record.received_us);
    if (record.outcome != Outcome::failed && seen_us != kNoTime)
      start_us = std::min(start_us, seen_us);
  }
  return start_us == kOpenEnd ? 0 : start_us;
}

// With the clock of the server that decided these records: one of several.
JudgedLog by_own_clock(const JudgedLog& judged, std::span<const std::uint32_t> records,
                       const Rules& rules, std::int64_t start_us) {
  if (judged.log.servers < 2) return judged;
  const ClockOffset offset = clock_offset(judged.log, records, grain_of(judged.options));
  if (offset.stamps == 0) return judged;  // nobody knows whose clock it was: any
  Frame frame = frame_of(offset, rules, judged.options);
  frame.unanswered = judged.frame.unanswered;
  return {judged.log, frame, start_us + frame.offset_high, judged.options};
}

std::string text_of(const RuleKeys& keys, std::uint32_t key) {
  return keys.has_own() ? keys.texts()[key] : std::string();
}

// Every rule counts a request under the same key.
void judge_keys(const JudgedLog& judged, Coarseness& coarseness, Judgement& judgement) {
  const Log& log = judged.log;
  const Rules& rules = judgement.rules;
  Totals totals;
  std::vector<Totals> by_rule(rules.size() > 1 ? rules.size() : 0);
  const RuleKeys keys(log, rules.front().per);
  const RecordsByKey by_key(log, keys);
  const std::int64_t start_us = start_by_our_clock(log, judged.options);
  Work work{"judging", "keys", 0, static_cast<std::int64_t>(by_key.keys())};
  for (std::uint32_t key = 0; key < by_key.keys(); ++key) {
    work.done = key;
    if (judged.options.watcher) judged.options.watcher(work);
    if (by_key.of(key).empty()) continue;
    const History history =
        history_of(by_own_clock(judged, by_key.of(key), rules, start_us), by_key.of(key), rules);
    coarseness.add(history);
    JudgedKey figures = judge_key(history, rules, judged.options);
    totals.add(figures.together);
    for (std::size_t i = 0; i < by_rule.size(); ++i) by_rule[i].add(figures.by_rule[i]);
    judgement.keys.push_back({key, std::move(figures.together), text_of(keys, key)});
  }
  judgement.totals = totals.take();
  for (Totals& one : by_rule) judgement.by_rule.push_back(one.take());
}

Judgement judge_with(const Evidence& evidence, const Rules& rules) {
  const Log& log = evidence.log;
  Frame frame = frame_of(evidence.offset, rules, evidence.options);
  frame.unanswered = &evidence.unanswered;
  const JudgedLog judged{log, frame, history_start(log, frame, evidence.options), evidence.options};
  Judgement judgement;
  judgement.rules = rules;
  Coarseness coarseness(rules);
  if (have_different_keys(rules))
    coarseness.add(judge_own_keys(judged, judgement));
  else
    judge_keys(judged, coarseness, judgement);
  if (has_actual_costs(log))
    judgement.totals.in_flight_share = share_in_flight(log, judgement.totals.worst_window.records);
  judgement.keys = worst_first(std::move(judgement.keys));
  decide(evidence, coarseness, judgement);
  return judgement;
}

Evidence evidence_of(const Log& log, const Rules& rules, const JudgeOptions& options) {
  return {log, clock_offset(log, grain_of(options)), doubt_about(log, rules, options),
          UnansweredBounds(log), options};
}

void combine(Verdict& verdict) {
  const bool own_is_worse = verdict.own && verdict.own->verdict > verdict.policy.verdict;
  const Judgement& worse = own_is_worse ? *verdict.own : verdict.policy;
  verdict.verdict = worse.verdict;
  verdict.reason = worse.reason;
  verdict.remedy = worse.remedy;
}

Verdict judge_once(const Log& log, const JudgeOptions& options) {
  const bool own_alone = log.policy.rules.empty();
  const Rules& policy = own_alone ? log.contract : log.policy.rules;
  check_usable(policy, options);
  check_usable(log.contract.empty() ? policy : log.contract, options);
  require_names(log, policy);
  require_names(log, log.contract);
  const Evidence evidence = evidence_of(log, policy, options);
  Verdict verdict;
  verdict.policy = judge_with(evidence, policy);
  if (!log.contract.empty())
    verdict.own = log.contract == policy ? verdict.policy : judge_with(evidence, log.contract);
  combine(verdict);
  verdict.notes =
      notes_on(log, log.contract.empty() ? policy : log.contract, evidence.offset, options);
  for (std::string& note : notes_on_names(log, policy)) verdict.notes.push_back(std::move(note));
  if (log.targets.size() > 1 && !verdict.policy.violations.over_admission)
    verdict.notes.insert(verdict.notes.begin(), overshoot_in_words(log, verdict.policy.totals));
  if (verdict.policy.totals.in_flight_share)
    verdict.notes.insert(verdict.notes.begin(), used_in_words(verdict.policy));
  return verdict;
}

// What slow requests would change is not decided.
void doubt(const Judgement& if_fast, Judgement& if_slow) {
  if (if_fast.verdict != VerdictKind::violated || if_slow.verdict == VerdictKind::violated) return;
  if_slow.verdict = VerdictKind::inconclusive;
  if_slow.reason = "the log has no durations, and slow requests may explain it: " + if_fast.reason;
  if_slow.remedy =
      "log the duration of each request ($request_time in nginx), or add --longest 1s if none took "
      "longer";
}

}  // namespace

std::string Judgement::name_of(const Log& log, const KeyFigures& key, std::size_t width) const {
  const std::string& per = rules[key.figures.rule].per;
  if (per.empty()) return in_quotes(log.keys[key.key], width);
  return in_quotes(key.text, width) + " (per " + per + ")";
}

Verdict judge(const Log& log, const JudgeOptions& options) {
  Verdict if_fast = judge_once(log, options);
  const bool may_be_slow = log.slow_before_us > 0 || log.slow_after_us > 0;
  if (!may_be_slow || if_fast.verdict != VerdictKind::violated) return if_fast;
  JudgeOptions patient = options;
  patient.slow_before_us = log.slow_before_us;
  patient.slow_after_us = log.slow_after_us;
  Verdict if_slow = judge_once(log, patient);
  doubt(if_fast.policy, if_slow.policy);
  if (if_slow.own) doubt(*if_fast.own, *if_slow.own);
  combine(if_slow);
  return if_slow;
}

Judgement judge_rules(const Log& log, const Rules& rules, const JudgeOptions& options) {
  check_usable(rules, options);
  require_names(log, rules);
  return judge_with(evidence_of(log, rules, options), rules);
}

}  // namespace rlctl
