#include "report/scenario_junit.h"

#include <fmt/format.h>

#include "base/words.h"
#include "report/scenario_text.h"

namespace rlctl {
namespace {

JunitOutcome outcome_of(Held held) {
  if (held == Held::held) return JunitOutcome::passed;
  return held == Held::broken ? JunitOutcome::failure : JunitOutcome::error;
}

// Adds the expectations on this phase, or (-1) those on the whole scenario.
void add_expectations(JunitSuite& suite, const Scenario& scenario, const ScenarioResult& result,
                      std::int64_t phase) {
  for (const ExpectationResult& one : result.expectations) {
    const Expectation& expectation = scenario.expectations[one.expectation];
    const auto& selected = expectation.selection.phase;
    if ((selected ? std::int64_t{*selected} : -1) != phase) continue;
    const std::string place = place_in_words(scenario, expectation.place);
    std::string details = place + ": " + expectation.text + "\n" + one.measured;
    if (!expectation.why.empty()) details += "\n" + expectation.why;
    const bool broken = one.held == Held::broken;
    suite.cases.push_back({expectation.text, outcome_of(one.held),
                           (broken ? "measured " : "could not tell: ") + one.measured, details,
                           scenario.file, expectation.place.line});
  }
}

JunitCase failed_run(const Scenario& scenario, const ScenarioResult& result) {
  const std::string what = result.problem ? result.problem->what() : "the scenario was not played";
  const std::string hint = result.problem ? result.problem->hint() : "";
  return {"run", JunitOutcome::error, what, what + "\n" + hint, scenario.file, 0, "could_not_run"};
}

JunitCase verdict_case(const Scenario& scenario, const ScenarioResult& result) {
  const VerdictFound found = verdict_found(scenario, result);
  const char* expected = scenario.verdict ? name_of(*scenario.verdict) : "any";
  const std::string message = fmt::format("found {}: {}", name_of(found.verdict), found.reason);
  // What a run that was cut short has found is no verdict.
  if (result.is_cut_short())
    return {fmt::format("verdict: {}", expected), JunitOutcome::error, result.sentence,
            scenario.file + "\n" + result.sentence + "; until then " + message, scenario.file};
  return {fmt::format("verdict: {}", expected), outcome_of(verdict_held(scenario, found)), message,
          scenario.file + "\n" + message + "\n" + scenario_evidence(result), scenario.file};
}

JunitSuite phase_suite(const Scenario& scenario, const ScenarioResult& result,
                       const PhaseResult& phase) {
  JunitSuite suite;
  suite.name = scenario.name + "." + scenario.phases[phase.phase].name;
  suite.duration_us = phase.ended_us - phase.started_us;
  suite.properties = {{"offered", std::to_string(phase.offered)},
                      {"allowed", std::to_string(phase.allowed)},
                      {"denied", std::to_string(phase.denied)},
                      {"unknown", std::to_string(phase.unknown)},
                      {"failed", std::to_string(phase.failed)}};
  add_expectations(suite, scenario, result, phase.phase);
  return suite;
}

}  // namespace

void add_scenario(JunitReport& report, const Scenario& scenario, const ScenarioResult& result) {
  report.duration_us = report.duration_us.value_or(0) + result.duration_us;
  JunitSuite whole;
  whole.name = scenario.name;
  whole.duration_us = result.duration_us;
  whole.properties = {{"outcome", name_of(result.outcome)}, {"sentence", result.sentence}};
  if (result.mistakes.empty()) {
    whole.properties.emplace_back("seed", std::to_string(result.seed));
    whole.properties.emplace_back("clock", name_of(scenario.clock));
  }
  const bool played = !result.problem && !result.policies.empty();
  whole.cases.push_back(played ? verdict_case(scenario, result) : failed_run(scenario, result));
  add_expectations(whole, scenario, result, -1);
  report.suites.push_back(std::move(whole));
  for (const PhaseResult& phase : result.phases)
    report.suites.push_back(phase_suite(scenario, result, phase));
}

}  // namespace rlctl
