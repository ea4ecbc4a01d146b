#include "scenario/scenario_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "base/words.h"

namespace rlctl {
namespace {

// The verdict to compare with the scenario's `verdict`: of both judgements, or only the policy's if
// the scenario has a separate expectation for the own contract.
VerdictKind policy_verdict(const Scenario& scenario, const Verdict& verdict) {
  return scenario.own_contract ? verdict.policy.verdict : verdict.verdict;
}

Held compare(VerdictKind expected, VerdictKind found) {
  if (expected == found) return Held::held;
  return found == VerdictKind::inconclusive ? Held::could_not_tell : Held::broken;
}

std::string expected_words(const Scenario& scenario) {
  std::string text = scenario.verdict ? name_of(*scenario.verdict) : "holds or violated";
  if (scenario.own_contract)
    text += fmt::format(", own contract {}", name_of(*scenario.own_contract));
  return text;
}

std::string found_words(const VerdictFound& found) {
  std::string text = name_of(found.verdict);
  if (found.own_contract) text += fmt::format(", own contract {}", name_of(*found.own_contract));
  return text;
}

// The traffic was not as planned, so its figures cannot refute an expectation.
void withdraw_measurements(ScenarioResult& result) {
  for (ExpectationResult& expectation : result.expectations) {
    if (expectation.held != Held::broken) continue;
    expectation.held = Held::could_not_tell;
    expectation.measured += ", but more requests were sent late than budget/late allows";
  }
}

}  // namespace

VerdictFound verdict_found(const Scenario& scenario, const ScenarioResult& result) {
  VerdictFound found;
  if (!result.policies.empty()) found.verdict = VerdictKind::holds;
  if (scenario.own_contract) found.own_contract = found.verdict;
  for (const PolicyResult& policy : result.policies) {
    const Verdict& verdict = policy.verdict;
    const VerdictKind kind = policy_verdict(scenario, verdict);
    if (&policy == &result.policies.front() || kind > found.verdict) {
      found.verdict = kind;
      found.reason = scenario.own_contract ? verdict.policy.reason : verdict.reason;
    }
    if (!scenario.own_contract) continue;
    // Without its own contract, a limiter cannot be shown to keep one.
    const VerdictKind own = verdict.own ? verdict.own->verdict : VerdictKind::inconclusive;
    found.own_contract = std::max(*found.own_contract, own);
  }
  return found;
}

Held verdict_held(const Scenario& scenario, const VerdictFound& found) {
  Held held = found.verdict == VerdictKind::inconclusive ? Held::could_not_tell : Held::held;
  if (scenario.verdict) held = compare(*scenario.verdict, found.verdict);
  if (scenario.own_contract) {
    const VerdictKind own = found.own_contract.value_or(VerdictKind::inconclusive);
    held = std::max(held, compare(*scenario.own_contract, own));
  }
  return held;
}

void conclude(const Scenario& scenario, ScenarioResult& result) {
  result.reasons.clear();
  result.outcome = ScenarioOutcome::could_not_run;
  if (result.problem) result.reasons.emplace_back(result.problem->what());
  if (result.interrupted) result.reasons.emplace_back("the run was interrupted");
  if (result.over_budget)
    result.reasons.push_back("the run was stopped after " +
                             format_duration(scenario.budget.wall_us) +
                             ", its budget of wall time");
  if (result.problem) return;
  if (result.too_late) withdraw_measurements(result);
  const VerdictFound found = verdict_found(scenario, result);
  Held held = verdict_held(scenario, found);
  if (held != Held::held)
    result.reasons.push_back(fmt::format("expected {}, found {}: {}", expected_words(scenario),
                                         found_words(found), found.reason));
  for (const ExpectationResult& expectation : result.expectations) {
    held = std::max(held, expectation.held);
    if (expectation.held == Held::held) continue;
    const bool broken = expectation.held == Held::broken;
    result.reasons.push_back(fmt::format("{}: {}{}",
                                         scenario.expectations[expectation.expectation].text,
                                         broken ? "measured " : "", expectation.measured));
  }
  result.outcome = row_of(held).outcome;
  // A run that was cut short may have failed only for that reason.
  if (result.is_cut_short()) result.outcome = ScenarioOutcome::inconclusive;
}

Exit exit_of(const ScenarioResult& result) {
  if (result.interrupted) return Exit::interrupted;
  if (result.outcome == ScenarioOutcome::could_not_run && result.problem)
    return result.problem->exit();
  return row_of(result.outcome).exit;
}

}  // namespace rlctl
