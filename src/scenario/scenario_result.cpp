#include "scenario/scenario_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/escape.h"
#include "base/units.h"
#include "base/words.h"
#include "scenario/playable.h"

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

std::string found_words(const VerdictFound& found) {
  std::string text = name_of(found.verdict);
  if (found.own_contract) text += fmt::format(", own contract {}", name_of(*found.own_contract));
  return text;
}

// What was asked, and what came of it.
struct Answer {
  Held held = Held::held;
  std::string sentence;
};

// A limiter that comes back soon after the fault's end is alive.
constexpr std::int64_t kBackSoonUs = 3'000'000;

// `later`: the faults after it. The next one ends the time in which it was watched.
std::optional<Answer> liveness(const Scenario& scenario, const PlayedFault& fault,
                               std::span<const PlayedFault> later) {
  const std::int64_t shut_us = fault.figures.shut_us;
  const auto admits = [](const PlayedFault& one) {
    return one.figures.admits_after_us.has_value();
  };
  const bool soon = shut_us < kBackSoonUs;
  if (shut_us == 0 || (soon && std::ranges::any_of(later, admits))) return std::nullopt;
  return Answer{
      soon ? Held::could_not_tell : Held::broken,
      fmt::format("after {}, nothing was admitted again, though it was asked for {}",
                  scenario.faults[fault.fault].row().name, format_duration_for_people(shut_us))};
}

std::vector<Answer> answers_of(const Scenario& scenario, const ScenarioResult& result,
                               const VerdictFound& found) {
  std::vector<Answer> answers{{verdict_held(scenario, found), verdict_sentence(scenario, found)}};
  for (const ExpectationResult& expectation : result.expectations) {
    const bool broken = expectation.held == Held::broken;
    answers.push_back(
        {expectation.held,
         fmt::format("{}: {}{}",
                     escape_for_terminal(scenario.expectations[expectation.expectation].text),
                     broken ? "measured " : "", expectation.measured)});
  }
  const std::span<const PlayedFault> faults = result.faults;
  for (std::size_t i = 0; i < faults.size(); ++i)
    if (std::optional<Answer> answer = liveness(scenario, faults[i], faults.subspan(i + 1)))
      answers.push_back(std::move(*answer));
  for (const std::string& fault : unplayed_faults(scenario, result))
    answers.push_back({Held::could_not_tell, fault + " did not happen"});
  std::ranges::stable_sort(answers, std::ranges::greater(), &Answer::held);
  return answers;
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

std::vector<std::string> unplayed_faults(const Scenario& scenario, const ScenarioResult& result) {
  std::vector<std::string> unplayed;
  if (result.problem || result.is_cut_short() || result.lacks_counts) return unplayed;
  for (std::uint32_t i = 0; i < scenario.faults.size(); ++i)
    if (std::ranges::find(result.faults, i, &PlayedFault::fault) == result.faults.end())
      unplayed.push_back(in_words(scenario, scenario.faults[i]));
  return unplayed;
}

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
      found.remedy = scenario.own_contract ? verdict.policy.remedy : verdict.remedy;
    }
    if (!scenario.own_contract) continue;
    // Without its own contract, a limiter cannot be shown to keep one.
    const VerdictKind own = verdict.own ? verdict.own->verdict : VerdictKind::inconclusive;
    if (verdict.own && (found.own_reason.empty() || own > *found.own_contract))
      found.own_reason = verdict.own->reason;
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

std::string verdict_sentence(const Scenario& scenario, const VerdictFound& found) {
  const auto surprise = [](const char* what, VerdictKind expected, VerdictKind seen,
                           const std::string& reason) {
    return fmt::format("{}expected {}, found {}: {}", what, name_of(expected), name_of(seen),
                       reason);
  };
  const VerdictKind own = found.own_contract.value_or(VerdictKind::inconclusive);
  if (scenario.verdict && *scenario.verdict != found.verdict)
    return surprise("", *scenario.verdict, found.verdict, found.reason);
  if (scenario.own_contract && *scenario.own_contract != own)
    return surprise("the limiter's own promise: ", *scenario.own_contract, own, found.own_reason);
  std::string text = found_words(found);
  if (scenario.verdict) text += ", as expected";
  if (found.verdict != VerdictKind::holds) text += ": " + found.reason;
  return text;
}

void conclude(const Scenario& scenario, ScenarioResult& result) {
  result.reasons.clear();
  result.outcome = ScenarioOutcome::could_not_run;
  if (result.problem) result.reasons.emplace_back(result.problem->what());
  if (result.interrupted) result.reasons.emplace_back("the run was interrupted");
  if (result.over_budget)
    result.reasons.push_back("the run was stopped after " + format_duration(scenario.wall_us) +
                             ", its budget of wall time");
  if (!result.problem) {
    if (result.too_late) withdraw_measurements(result);
    const auto answers = answers_of(scenario, result, verdict_found(scenario, result));
    for (const Answer& answer : answers)
      if (answer.held != Held::held) result.reasons.push_back(answer.sentence);
    result.sentence = answers.front().sentence;
    result.outcome = row_of(answers.front().held).outcome;
    // A run that was cut short may have failed only for that reason.
    if (result.is_cut_short()) result.outcome = ScenarioOutcome::inconclusive;
  }
  if (!result.reasons.empty()) result.sentence = result.reasons.front();
}

std::vector<LoggedExpectation> expectations_on(const Scenario& scenario,
                                               const ScenarioResult& result, std::uint32_t policy) {
  std::vector<LoggedExpectation> expectations;
  for (const ExpectationResult& one : result.expectations) {
    const Expectation& expectation = scenario.expectations[one.expectation];
    const auto& [phase, who, selected, key, fault] = expectation.selection;
    if (phase && scenario.phases[*phase].policy != policy) continue;
    if (selected && *selected != policy) continue;
    expectations.push_back({expectation.text, name_of(one.held), one.measured});
  }
  return expectations;
}

Exit exit_of(const ScenarioResult& result) {
  if (result.interrupted) return Exit::interrupted;
  if (result.outcome == ScenarioOutcome::could_not_run && result.problem)
    return result.problem->exit();
  return row_of(result.outcome).exit;
}

}  // namespace rlctl
