#include "run/played/judged_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/status_set.h"
#include "base/units.h"
#include "io/redis/redis_error.h"
#include "limiter/http_limiter.h"
#include "run/played/played_figures.h"
#include "scenario/expectation.h"
#include "scenario/playable.h"
#include "verdict/notes.h"
#include "verdict/outcome/fault_figures.h"

namespace rlctl {
namespace {

// Closed-loop users (users, consumers) have no schedule, so they cannot be late.
bool has_schedule(const Scenario& scenario, const PolicySpec& spec) {
  return std::ranges::any_of(scenario.phases, [&](const Phase& phase) {
    return &scenario.policies[phase.policy] == &spec && phase.model != TrafficModel::users &&
           phase.model != TrafficModel::consumers;
  });
}

// What a fault could not show, and what to do. An earlier one counts until the next one comes.
void note_open_faults(const Scenario& scenario, ScenarioResult& result) {
  const char* longer = scenario.file.empty() ? "--for" : "\"for\"";
  for (const std::string& fault : unplayed_faults(scenario, result))
    result.notes.push_back(
        fmt::format("{} did not happen, because the traffic had ended; name an earlier time, or "
                    "send for longer ({})",
                    fault, longer));
  if (result.faults.empty() || result.problem || result.is_cut_short()) return;
  const PlayedFault& last = result.faults.back();
  if (last.has_no_sequel(scenario.faults[last.fault].row()))
    result.notes.push_back(
        fmt::format("no request came after {}, so whether decisions are right again was not "
                    "tested; let it end earlier, or send for longer ({})",
                    in_words(scenario, scenario.faults[last.fault]), longer));
}

}  // namespace

JudgeOptions judge_options_of(const Scenario& scenario, const PolicySpec& spec, const Log& log) {
  JudgeOptions options;
  options.tolerance_us = log.terms.tolerance_us;
  options.fresh = spec.fresh || scenario.target.kind != TargetKind::http;
  options.fresh_is_promised = spec.fresh && scenario.target.kind == TargetKind::http;
  options.allowed_false_denials = spec.allowed_false_denials;
  options.held_at_least_us = spec.held_at_least_us;
  options.max_inflight_us = spec.max_inflight_us;
  options.budgets = scenario.budgets;
  if (!has_schedule(scenario, spec)) options.budgets.late_share.reset();
  options.set_by = scenario.file.empty() ? SetBy::simulate : SetBy::scenario;
  return options;
}

void judge_policy(const Scenario& scenario, PolicyResult& policy, ScenarioResult& result) {
  const JudgeOptions options =
      judge_options_of(scenario, scenario.policies[policy.policy], policy.log);
  policy.verdict = judge(policy.log, options);
  result.too_late |= sent_too_late(policy.log, options.budgets);
  // On the virtual clock rlctl sets the stamps itself, so this note would be misleading.
  if (policy.log.clock == "virtual")
    std::erase_if(policy.verdict.notes,
                  [](const std::string& note) { return note.starts_with("judged by the server"); });
}

void measure_faults(const Scenario& scenario, ScenarioResult& result) {
  std::vector<FaultedLog> logs;
  for (const PolicyResult& policy : result.policies) {
    const PolicySpec& spec = scenario.policies[policy.policy];
    logs.push_back({policy.log, policy.verdict, [&scenario, &spec](const Log& log) {
                      return judge_options_of(scenario, spec, log);
                    }});
  }
  std::vector<FaultTime> times;
  for (const PlayedFault& fault : result.faults) times.push_back({fault.at_us, fault.ended_us});
  const std::vector<FaultFigures> figures = fault_figures(logs, times);
  for (std::size_t i = 0; i < figures.size(); ++i) result.faults[i].figures = figures[i];
  note_open_faults(scenario, result);
}

void evaluate_expectations(const Scenario& scenario, const std::string& open,
                           ScenarioResult& result) {
  result.expectations = evaluate(scenario, PlayedFigures(scenario, result));
  for (ExpectationResult& expectation : result.expectations) {
    if (open.empty()) break;
    expectation.held = Held::could_not_tell;
    expectation.measured += ", " + open;
  }
}

std::optional<Error> why_no_verdict(const Scenario& scenario, const ScenarioResult& result,
                                    const std::string& first_problem) {
  std::int64_t asked = 0, decided = 0, failed = 0;
  std::map<std::uint16_t, std::int64_t> undecided;
  for (const PolicyResult& policy : result.policies) {
    for (const Record& record : policy.log.records) {
      ++asked;
      decided += record.outcome <= Outcome::denied;
      failed += record.outcome == Outcome::failed;
      // An incomplete reply has a status too, but is not an answer.
      if (record.outcome == Outcome::unknown && record.received_us != kNoTime && record.status != 0)
        ++undecided[record.status];
    }
  }
  for (const auto& [status, count] : undecided)
    if (2 * count > asked)
      return Error(Exit::target,
                   fmt::format("{} of {} requests were answered {}", format_count(count),
                               format_count(asked), status),
                   remedy_for_status(status, count == asked, !scenario.file.empty()));
  if (asked == 0 || decided > 0) return std::nullopt;
  Decision first;
  first.outcome = failed == asked ? Outcome::failed : Outcome::unknown;
  first.problem = first_problem;
  const bool is_http = scenario.target.kind == TargetKind::http;
  return Error(Exit::target, "the target made no decision: " + first.problem,
               is_http ? http_hint(first) : hint_for_error(first.problem));
}

}  // namespace rlctl
