#include "run/played/result_of_logs.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/escape.h"
#include "run/played/judged_run.h"

namespace rlctl {
namespace {

[[noreturn]] void refuse(const Scenario& scenario, const std::string& what) {
  throw Error(Exit::usage,
              "the logs are not of the scenario " + in_quotes(scenario.name) + ": " + what,
              "give the scenario as it was played, and the logs of that run");
}

std::uint32_t policy_of(const Scenario& scenario, const Log& log) {
  const auto found = std::ranges::find_if(scenario.policies, [&](const PolicySpec& spec) {
    return log.history == scenario.name + "/" + spec.name;
  });
  if (found == scenario.policies.end())
    refuse(scenario, "one is of " + in_quotes(log.history.empty() ? "another run" : log.history));
  if (!(found->policy.rules == log.policy.rules))
    refuse(scenario, "the policy " + in_quotes(found->name) + " has other rules");
  return static_cast<std::uint32_t>(found - scenario.policies.begin());
}

template <class Named>
std::uint32_t number_of(const Scenario& scenario, const std::string& name,
                        const std::vector<Named>& known) {
  const auto found = std::ranges::find(known, name, &Named::name);
  if (found == known.end()) refuse(scenario, "it has no " + in_quotes(name));
  return static_cast<std::uint32_t>(found - known.begin());
}

// By the number of a name in the log, its number in the scenario.
template <class Named>
std::vector<std::uint32_t> numbers_of(const Scenario& scenario,
                                      const std::vector<std::string>& names,
                                      const std::vector<Named>& known) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : names)
    numbers.push_back(name.empty() ? 0 : number_of(scenario, name, known));
  return numbers;
}

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& known) {
  std::vector<std::string> names;
  for (const Named& one : known) names.push_back(one.name);
  return names;
}

// A log names phases and identities in the order of their requests.
void renumber(const Scenario& scenario, Log& log) {
  const auto phases = numbers_of(scenario, log.phases, scenario.phases);
  const auto identities = numbers_of(scenario, log.identities, scenario.identities);
  for (Record& record : log.records) {
    if (record.phase >= phases.size() || record.who >= identities.size())
      refuse(scenario, "a request has no phase, or no identity");
    record.phase = static_cast<std::uint8_t>(phases[record.phase]);
    record.who = static_cast<std::uint16_t>(identities[record.who]);
  }
  log.phases = names_of(scenario.phases);
  log.identities = names_of(scenario.identities);
}

void count(const Record& record, PhaseResult& phase) {
  const bool is_first = phase.offered++ == 0;
  phase.allowed += record.outcome == Outcome::allowed;
  phase.denied += record.outcome == Outcome::denied;
  phase.unknown += record.outcome == Outcome::unknown;
  phase.failed += record.outcome == Outcome::failed;
  const std::int64_t from_us = record.intended_us != kNoTime ? record.intended_us : record.sent_us;
  phase.started_us = is_first ? from_us : std::min(phase.started_us, from_us);
  phase.ended_us = std::max({phase.ended_us, from_us, record.received_us});
}

// What the end of the log tells of its phases, and its records do not.
void add_told(const Scenario& scenario, const Log& log, std::vector<PhaseResult>& phases) {
  for (const LoggedPhase& told : log.played) {
    PhaseResult& phase = phases[number_of(scenario, told.name, scenario.phases)];
    phase.started_us = told.started_us;
    phase.ended_us = told.ended_us;
    phase.dropped = told.dropped;
    phase.completed = told.completed;
    phase.offered += told.dropped;
  }
}

void add_phases(const Scenario& scenario, ScenarioResult& result) {
  std::vector<PhaseResult> phases(scenario.phases.size());
  std::int64_t began_us = std::numeric_limits<std::int64_t>::max();
  for (const PolicyResult& policy : result.policies) {
    for (const Record& record : policy.log.records) {
      PhaseResult& phase = phases[record.phase];
      count(record, phase);
      phase.late += sent_late(record, scenario.budgets.late_after_us);
    }
    add_told(scenario, policy.log, phases);
    result.lacks_counts |= policy.log.played.empty();
    if (policy.log.began_us != kNoTime) began_us = std::min(began_us, policy.log.began_us);
  }
  std::int64_t ended_us = 0;
  for (std::uint32_t i = 0; i < phases.size(); ++i) {
    if (phases[i].ended_us == 0) continue;
    phases[i].phase = i;
    began_us = std::min(began_us, phases[i].started_us);
    ended_us = std::max(ended_us, phases[i].ended_us);
    result.phases.push_back(phases[i]);
  }
  for (PhaseResult& phase : result.phases) {
    phase.started_us -= began_us;
    phase.ended_us -= began_us;
  }
  result.started_us = began_us;
  result.duration_us = std::max<std::int64_t>(0, ended_us - began_us);
}

// Each log of the run tells all faults. Those of one kind come in the order of the scenario.
void add_faults(const Scenario& scenario, const std::vector<LoggedFault>& faults,
                ScenarioResult& result) {
  std::vector<bool> taken(scenario.faults.size());
  for (const LoggedFault& fault : faults)
    for (std::uint32_t i = 0; i < taken.size(); ++i) {
      if (taken[i] || fault.kind != scenario.faults[i].row().name) continue;
      taken[i] = true;
      result.faults.push_back({i, fault.at_us, fault.ended_us, {}});
      break;
    }
}

// Why the logs do not tell all of the run; empty: they do.
std::string what_is_missing(const ScenarioResult& result) {
  for (const PolicyResult& policy : result.policies) {
    if (policy.log.shard != kWholeRun)
      return "in part " + escape_for_terminal(policy.log.shard) + " only";
    if (!policy.log.cut.empty()) return "but a log was cut: " + policy.log.cut;
    if (!policy.log.stopped.empty())
      return "but the run did not reach its end: " + escape_for_terminal(policy.log.stopped);
  }
  return {};
}

}  // namespace

ScenarioResult result_of_logs(const Scenario& scenario, ParsedLogs logs) {
  ScenarioResult result;
  result.from_logs = true;
  for (ParsedHistory& history : logs.histories) {
    PolicyResult policy{policy_of(scenario, history.log), std::move(history.log), {}};
    renumber(scenario, policy.log);
    result.policies.push_back(std::move(policy));
  }
  const Log& first = result.policies.front().log;
  result.command = first.command;
  result.run_id = first.run_id;
  result.seed = first.seed;
  result.notes = logs.notes;
  add_phases(scenario, result);
  for (PolicyResult& policy : result.policies) judge_policy(scenario, policy, result);
  add_faults(scenario, first.faults, result);
  measure_faults(scenario, result);
  evaluate_expectations(scenario, what_is_missing(result), result);
  conclude(scenario, result);
  return result;
}

}  // namespace rlctl
