#include "base/words.h"
#include "report/documents.h"
#include "report/page/fault_tables.h"
#include "report/picture/timeline.h"
#include "report/simulate_text.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostSlices = 1'000;

Text word_of(const std::optional<VerdictKind>& verdict) {
  return verdict ? Text(name_of(*verdict)) : Text();
}

PhaseCountsDocument counts_of(const PhaseResult& phase, bool lacks_counts) {
  const auto if_known = [&](std::int64_t count) { return lacks_counts ? Number() : Number(count); };
  return {.started_us = phase.started_us,
          .ended_us = phase.ended_us,
          .offered = phase.offered,
          .allowed = phase.allowed,
          .denied = phase.denied,
          .unknown = phase.unknown,
          .failed = phase.failed,
          .late = phase.late,
          .dropped = if_known(phase.dropped),
          .completed = if_known(phase.completed)};
}

ExpectationDocument document_of(const Scenario& scenario, const ExpectationResult& result) {
  const Expectation& expectation = scenario.expectations[result.expectation];
  return {.that = expectation.text,
          .why = expectation.why,
          .result = name_of(result.held),
          .measured = result.measured,
          .line = expectation.place.line,
          .column = expectation.place.column};
}

std::optional<std::vector<FaultDocument>> faults_of(const Scenario& scenario,
                                                    const ScenarioResult& result) {
  if (result.faults.empty()) return std::nullopt;
  std::vector<FaultDocument> faults;
  for (const PlayedFault& fault : result.faults)
    faults.push_back(document_of(
        scenario.faults[fault.fault].row().name,
        {fault.at_us - result.started_us, fault.ended_us - result.started_us}, fault.figures));
  return faults;
}

// The judged log of each policy.
std::vector<RunPolicyDocument> policies_of(const Scenario& scenario, const ScenarioResult& result) {
  std::vector<RunPolicyDocument> policies;
  VerifyResult all = as_verified(result);
  for (std::size_t i = 0; i < result.policies.size(); ++i) {
    VerifyResult one;
    one.histories.push_back(std::move(all.histories[i]));
    policies.push_back({scenario.policies[result.policies[i].policy].name, document_of(one).worst});
  }
  return policies;
}

TimelineDocument document_of(const Timeline& timeline) {
  TimelineDocument document{timeline.start_us, timeline.slice_us, {}};
  for (const TimelineSlice& slice : timeline.slices)
    document.slices.push_back({slice.allowed, slice.denied, slice.other});
  return document;
}

SimulatePhaseDocument document_of(const Scenario& scenario, const ScenarioResult& result,
                                  const PhaseResult& phase) {
  const Phase& planned = scenario.phases[phase.phase];
  SimulatePhaseDocument document{.name = planned.name,
                                 .counts = counts_of(phase, result.lacks_counts)};
  for (const PolicyResult& policy : result.policies)
    if (policy.policy == planned.policy)
      document.timeline = document_of(
          make_timeline(policy.log, static_cast<std::uint8_t>(phase.phase), kMostSlices));
  return document;
}

std::optional<FoundDocument> found_of(const Scenario& scenario, const ScenarioResult& result) {
  if (result.policies.empty()) return std::nullopt;
  const VerdictFound found = verdict_found(scenario, result);
  const bool keeps_own = found.own_contract == VerdictKind::holds;
  return FoundDocument{name_of(found.verdict), word_of(found.own_contract), found.reason,
                       keeps_own ? std::string() : found.own_reason};
}

std::optional<std::vector<MistakeDocument>> mistakes_of(const ScenarioResult& result) {
  if (result.mistakes.empty()) return std::nullopt;
  std::vector<MistakeDocument> mistakes;
  for (const auto& [place, pointer, what, hint] : result.mistakes)
    mistakes.push_back({place.line, place.column, pointer, what, hint});
  return mistakes;
}

// What the file says, unless it has mistakes: then it says nothing for certain.
void add_said(const Scenario& scenario, const ScenarioResult& result, ScenarioDocument& document) {
  document.mistakes = mistakes_of(result);
  if (document.mistakes) return;
  document.clock = name_of(scenario.clock);
  document.seed = result.seed;
  document.expected = ExpectedDocument{word_of(scenario.verdict), word_of(scenario.own_contract)};
}

}  // namespace

ScenarioDocument document_of(const Scenario& scenario, const ScenarioResult& result) {
  ScenarioDocument document{.name = scenario.name,
                            .file = scenario.file,
                            .outcome = name_of(result.outcome),
                            .sentence = result.sentence,
                            .exit = static_cast<int>(exit_of(result)),
                            .command = result.command,
                            .run_id = result.run_id,
                            .duration_us = result.duration_us,
                            .complete = !result.is_cut_short() && !result.problem,
                            .interrupted = result.interrupted,
                            .found = found_of(scenario, result),
                            .problem = result.problem ? Text(result.problem->what()) : Text(),
                            .too_late = result.too_late,
                            .reasons = texts_of(result.reasons),
                            .notes = texts_of(result.notes),
                            .policies = policies_of(scenario, result)};
  add_said(scenario, result, document);
  for (const PhaseResult& phase : result.phases) {
    const Phase& planned = scenario.phases[phase.phase];
    document.phases.push_back({planned.name, scenario.policies[planned.policy].name,
                               counts_of(phase, result.lacks_counts)});
  }
  document.faults = faults_of(scenario, result);
  for (const ExpectationResult& expectation : result.expectations)
    document.expectations.push_back(document_of(scenario, expectation));
  return document;
}

SimulateDocument pattern_document(const Scenario& scenario, const ScenarioResult& result) {
  SimulateDocument document{.pattern = scenario.name,
                            .outcome = name_of(result.outcome),
                            .sentence = result.sentence,
                            .command = result.command,
                            .expected = word_of(scenario.verdict),
                            .expected_own_contract = word_of(scenario.own_contract),
                            .clock = name_of(scenario.clock),
                            .threads = result.threads > 1 ? Number(result.threads) : Number(),
                            .seed = result.seed,
                            .run_id = result.run_id,
                            .duration_us = result.duration_us,
                            .interrupted = result.interrupted,
                            .complete = !result.is_cut_short() && !result.problem,
                            .answers = texts_of(pattern_answers(scenario, result))};
  if (!result.policies.empty()) document.judged = document_of(as_verified(result));
  for (const PhaseResult& phase : result.phases)
    document.phases.push_back(document_of(scenario, result, phase));
  document.faults = faults_of(scenario, result);
  for (const std::string& note : result.notes) document.judged.worst.notes.emplace_back(note);
  return document;
}

}  // namespace rlctl
