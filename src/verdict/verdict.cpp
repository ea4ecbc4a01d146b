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
#include "verdict/algorithm/log_facts.h"
#include "verdict/algorithm/unanswered.h"
#include "verdict/algorithm/window_rule.h"
#include "verdict/history.h"
#include "verdict/judge_key.h"
#include "verdict/judge_own_keys.h"
#include "verdict/judged_keys.h"
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

// Lines are in the order of the answers: a request that was cut off was answered before the first
// one of the log, and may have been decided until then.
std::int64_t start_by_our_clock(const LogFacts& facts, const JudgeOptions& options) {
  return options.history_from_us.value_or(facts.first_answer_us);
}

// By the limiter's clock.
std::int64_t history_start(const LogFacts& facts, const Frame& frame, const JudgeOptions& options) {
  const std::int64_t ours_us = start_by_our_clock(facts, options);
  if (ours_us != LogFacts::kNone) return ours_us + frame.highest_offset();
  return facts.first_stamp_us == LogFacts::kNone ? 0 : facts.first_stamp_us;
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
  const KnownLog& known;
  ClockOffset offset;
  Doubt doubt;  // about the run as a whole
  const JudgeOptions& options;
  const KeysJudge& judge_keys;

  const Log& log() const { return known.head; }
};

// Without the rest nothing can be decided: its admissions may explain this part's denials, and
// count together with its admissions.
void say_nothing_of(const Log& part, Judgement& judgement) {
  if (!part.cut.empty()) {
    judgement.reason = "the log was cut: " + part.cut;
    judgement.remedy = "use the whole log, or play the run again";
    return;
  }
  const bool several = part.shard.find(',') != part.shard.npos;
  judgement.reason = (several ? "this log has only the parts " : "this log is only part ") +
                     escape_for_terminal(part.shard) + " of a run";
  if (!part.missing.empty()) judgement.reason += "; missing: " + escape_for_terminal(part.missing);
  judgement.remedy = "use rlctl verify with the logs of all parts";
}

// After such a rest every key is as new, whatever came before the log.
std::string what_shows_the_past(const Rules& rules, const JudgeOptions& options) {
  std::int64_t longest_us = 0;
  for (const Rule& rule : rules) longest_us = std::max(longest_us, memory_us(rule) + rule.block_us);
  return fmt::format("add {} if no key was used before, or use a log in which keys rest for {}",
                     setting("--fresh", options), format_duration_for_people(longest_us));
}

// Violated has priority over inconclusive, and inconclusive over holds.
void decide(const Evidence& evidence, const JudgedKeys& keys, Judgement& judgement) {
  if (!evidence.log().is_whole()) return say_nothing_of(evidence.log(), judgement);
  judgement.violations.over_admission = judgement.totals.over_admission == OverAdmission::certain;
  judgement.violations.false_denial =
      too_many_false_denials(judgement.totals, evidence.options.allowed_false_denials);
  if (judgement.violations.over_admission || judgement.violations.false_denial) {
    judgement.verdict = VerdictKind::violated;
    judgement.reason = violated_reason(evidence.log(), judgement);
  } else if (const std::string& why = evidence.log().stopped; !why.empty()) {
    judgement.reason = "the run did not reach its end: " + escape_for_terminal(why);
    judgement.remedy = "play the run again";
  } else if (!evidence.doubt.reason.empty()) {
    judgement.reason = evidence.doubt.reason;
    judgement.remedy = evidence.doubt.remedy;
  } else if (2 * judgement.totals.unverifiable_denials > judgement.totals.denied) {
    judgement.reason = fmt::format(
        "{} of {} denials could not be checked: earlier requests may explain them",
        format_count(judgement.totals.unverifiable_denials), format_count(judgement.totals.denied));
    judgement.remedy = what_shows_the_past(judgement.rules, evidence.options);
  } else if (keys.any_undetermined || judgement.totals.proof == Proof::undetermined) {
    judgement.reason =
        fmt::format("the log does not prove whether {} was kept", rate_in_words(judgement.rule()));
    judgement.remedy = what_would_decide(evidence.known.facts, judgement.rule(), evidence.offset,
                                         evidence.options);
  } else if (judgement.totals.together == Together::not_found) {
    judgement.reason =
        "each decision can be explained by itself, but no order of all decisions that explains "
        "them together was found";
    judgement.remedy = what_would_decide(evidence.known.facts, judgement.rule(), evidence.offset,
                                         evidence.options);
  } else if (judgement.totals.proof == Proof::witness && keys.coarseness.is_too_coarse()) {
    judgement.reason = fmt::format(
        "the times are too coarse for {}: {} may have held {} to {} admissions",
        rate_in_words(judgement.rule()), span_in_words(judgement.rule()),
        format_count(judgement.totals.max_certain), format_count(judgement.totals.max_possible));
    judgement.remedy =
        "log milliseconds ($msec in nginx) and the duration of each request ($request_time), or "
        "use a log with fewer slow requests";
  } else {
    judgement.verdict = VerdictKind::holds;
    judgement.reason = "no decision broke the rule";
  }
}

FramedRules framed_rules(const KnownLog& known, const Rules& rules, const JudgeOptions& options) {
  check_usable(rules, options);
  require_names(known.head, rules);
  FramedRules framed{.rules = rules,
                     .frame = frame_of(known.facts.clock.offset(), rules, options),
                     .our_from_us = start_by_our_clock(known.facts, options),
                     .options = options};
  framed.frame.unanswered = &known.unanswered;
  framed.from_us = history_start(known.facts, framed.frame, options);
  return framed;
}

Judgement judge_with(const Evidence& evidence, const FramedRules& framed) {
  JudgedKeys keys = evidence.judge_keys(framed);
  Judgement judgement;
  judgement.rules = framed.rules;
  judgement.totals = std::move(keys.totals);
  judgement.keys = std::move(keys.keys);
  judgement.by_rule = std::move(keys.by_rule);
  judgement.key_count = keys.count;
  if (!evidence.log().is_whole()) {
    leave_open(judgement.totals);
    for (KeyFigures& key : judgement.keys) leave_open(key.figures);
    std::ranges::for_each(judgement.by_rule, leave_open);
  }
  decide(evidence, keys, judgement);
  return judgement;
}

JudgedKeys judge_whole(const Log& log, const LogFacts& facts, const FramedRules& framed) {
  JudgedKeys keys;
  if (have_different_keys(framed.rules)) {
    const JudgedLog judged{log, framed.frame, framed.from_us, framed.options};
    keys.coarseness.add(judge_own_keys(judged, framed.rules, keys), framed.rules);
    sort_worst_first(keys.keys);
    keys.count = static_cast<std::int64_t>(keys.keys.size());
    keys.any_undetermined = std::ranges::any_of(keys.keys, is_undetermined);
  } else {
    keys = judge_keys(log, framed, KeySums::kAll).take();
  }
  if (facts.has_actual_costs)
    keys.totals.in_flight_share = share_in_flight(log, keys.totals.worst_window.records);
  return keys;
}

Evidence evidence_of(const KnownLog& known, const Rules& rules, const JudgeOptions& options,
                     const KeysJudge& judge_keys) {
  return {known, known.facts.clock.offset(), doubt_about(known, rules, options), options,
          judge_keys};
}

void combine(Verdict& verdict) {
  const bool own_is_worse = verdict.own && verdict.own->verdict > verdict.policy.verdict;
  const Judgement& worse = own_is_worse ? *verdict.own : verdict.policy;
  verdict.verdict = worse.verdict;
  verdict.reason = worse.reason;
  verdict.remedy = worse.remedy;
}

// What to judge by, if only one of them is known.
const Rules& policy_or_contract(const Log& log) {
  return log.policy.rules.empty() ? log.contract : log.policy.rules;
}

// All that a log is judged by: its policy, and its own contract if that is another.
std::vector<FramedRules> judged_rules(const KnownLog& known, const JudgeOptions& options) {
  const Rules& contract = known.head.contract;
  const Rules& policy = policy_or_contract(known.head);
  std::vector<FramedRules> all{framed_rules(known, policy, options)};
  if (!contract.empty() && !(contract == policy))
    all.push_back(framed_rules(known, contract, options));
  return all;
}

Verdict judge_once(const KnownLog& known, const JudgeOptions& options,
                   const KeysJudge& judge_keys) {
  const Log& log = known.head;
  const Rules& policy = policy_or_contract(log);
  const std::vector<FramedRules> rules = judged_rules(known, options);
  const Evidence evidence = evidence_of(known, policy, options, judge_keys);
  Verdict verdict;
  verdict.targets = known.facts.targets;
  verdict.policy = judge_with(evidence, rules.front());
  if (!log.contract.empty())
    verdict.own = rules.size() == 1 ? verdict.policy : judge_with(evidence, rules.back());
  combine(verdict);
  verdict.notes =
      notes_on(known, log.contract.empty() ? policy : log.contract, evidence.offset, options);
  for (std::string& note : notes_on_names(log, policy)) verdict.notes.push_back(std::move(note));
  if (log.targets.size() > 1 && !verdict.policy.violations.over_admission)
    verdict.notes.insert(verdict.notes.begin(), overshoot_in_words(log, verdict.policy.totals));
  if (verdict.policy.totals.in_flight_share)
    verdict.notes.insert(verdict.notes.begin(), used_in_words(verdict.policy));
  return verdict;
}

// Of a log with requests that may have been slow: they have no durations.
std::optional<JudgeOptions> patient_options(const Log& log, const JudgeOptions& options) {
  if (log.slow_before_us <= 0 && log.slow_after_us <= 0) return std::nullopt;
  JudgeOptions patient = options;
  patient.slow_before_us = log.slow_before_us;
  patient.slow_after_us = log.slow_after_us;
  return patient;
}

// What slow requests would change is not decided.
void doubt(const Log& log, const Judgement& if_fast, Judgement& if_slow) {
  if (if_fast.verdict != VerdictKind::violated || if_slow.verdict == VerdictKind::violated) return;
  if_slow.verdict = VerdictKind::inconclusive;
  if_slow.reason =
      what_lacks_durations(log) + ", and slow requests may explain it: " + if_fast.reason;
  if_slow.remedy =
      "log the duration of each request ($request_time in nginx); or, if none took longer than 5 "
      "s, "
      "add --longest 5s";
}

}  // namespace

std::string Judgement::name_of(const Log& log, const KeyFigures& key, std::size_t width) const {
  const std::string& per = rules[key.figures.rule].per;
  if (per.empty()) return in_quotes(log.keys[key.key], width);
  return in_quotes(key.text, width) + " (per " + per + ")";
}

LogFacts facts_of(const Log& log, const JudgeOptions& options) {
  LogFacts facts(log, options.budgets.late_after_us, options.grain_us());
  facts.most_in_flight = most_in_flight(log);
  return facts;
}

Verdict judge_known(const KnownLog& known, const JudgeOptions& options,
                    const KeysJudge& judge_keys) {
  Verdict if_fast = judge_once(known, options, judge_keys);
  const std::optional<JudgeOptions> patient = patient_options(known.head, options);
  if (!patient || if_fast.verdict != VerdictKind::violated) return if_fast;
  Verdict if_slow = judge_once(known, *patient, judge_keys);
  doubt(known.head, if_fast.policy, if_slow.policy);
  if (if_slow.own) doubt(known.head, *if_fast.own, *if_slow.own);
  combine(if_slow);
  return if_slow;
}

void each_way(const KnownLog& known, const JudgeOptions& options,
              const std::function<void(const FramedRules&)>& see) {
  const auto see_all = [&](const JudgeOptions& some) {
    for (const FramedRules& framed : judged_rules(known, some)) see(framed);
  };
  see_all(options);
  if (const auto patient = patient_options(known.head, options)) see_all(*patient);
}

Verdict judge(const Log& log, const JudgeOptions& options) {
  const LogFacts facts = facts_of(log, options);
  const UnansweredBounds unanswered(log);
  return judge_known({log, facts, unanswered}, options,
                     [&](const FramedRules& framed) { return judge_whole(log, facts, framed); });
}

Judgement judge_rules(const Log& log, const Rules& rules, const JudgeOptions& options) {
  const LogFacts facts = facts_of(log, options);
  const UnansweredBounds unanswered(log);
  const KnownLog known{log, facts, unanswered};
  const KeysJudge judge_keys = [&](const FramedRules& framed) {
    return judge_whole(log, facts, framed);
  };
  return judge_with(evidence_of(known, rules, options, judge_keys),
                    framed_rules(known, rules, options));
}

}  // namespace rlctl
