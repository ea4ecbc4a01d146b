#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "report/page/cells.h"
#include "report/page/fault_tables.h"
#include "report/page/of_results.h"
#include "result/codec.h"
#include "verdict/figures.h"

namespace rlctl {
namespace {

std::string expected_of(const Text& expected) {
  return expected.empty() ? "any" : expected.shown();
}

// By the same rules as the run itself (scenario/scenario_result.h).
Mood held(const std::string& expected, const std::string& found) {
  if (expected == found) return Mood::good;
  if (found == "inconclusive" || found.empty()) return Mood::doubtful;
  return expected == "any" ? Mood::good : Mood::bad;
}

// `reason`: of what was found.
ReportCheck verdict_check(const ScenarioDocument& scenario, const char* name, const Text& expected,
                          const Text& found, const Text& reason) {
  const std::string word = expected_of(expected);
  return {std::string(name) + ": " + word,
          scenario.problem.empty() ? held(word, found.shown()) : Mood::doubtful,
          "found " + found.shown() + (reason.empty() ? "" : ": " + reason.shown())};
}

std::vector<ReportCheck> verdict_checks(const ScenarioDocument& scenario) {
  if (!scenario.expected || !scenario.found) return {};
  const auto& [verdict, own_contract] = *scenario.expected;
  const FoundDocument& found = *scenario.found;
  std::vector<ReportCheck> checks{
      verdict_check(scenario, "verdict", verdict, found.verdict, found.reason)};
  if (expected_of(own_contract) != "any")
    checks.push_back(verdict_check(scenario, "its own contract", own_contract, found.own_contract,
                                   found.own_contract_reason));
  return checks;
}

ReportCheck check_of(const MistakeDocument& mistake) {
  const std::string place =
      fmt::format("line {}, column {}", mistake.line.digits(), mistake.column.digits());
  return {mistake.pointer.empty() ? place : place + ", " + mistake.pointer.shown(), Mood::doubtful,
          with_hint(mistake.what.shown(), mistake.hint.shown())};
}

std::vector<ReportCheck> checks_of(const ScenarioDocument& scenario) {
  std::vector<ReportCheck> checks = verdict_checks(scenario);
  if (scenario.mistakes)
    for (const MistakeDocument& mistake : *scenario.mistakes) checks.push_back(check_of(mistake));
  for (const ExpectationDocument& expectation : scenario.expectations) {
    std::string message = "measured " + expectation.measured.shown();
    if (!expectation.why.empty()) message += "; " + expectation.why.shown();
    checks.push_back(
        {expectation.that.shown(), mood_of_word(expectation.result.shown()), std::move(message)});
  }
  return checks;
}

ReportTable phase_table(const ScenarioDocument& scenario) {
  ReportTable table;
  table.title = "Phases";
  table.columns = {{"phase", false},  {"policy", false}, {"from", true},   {"to", true},
                   {"offered", true}, {"allowed", true}, {"denied", true}, {"unknown", true},
                   {"failed", true},  {"late", true},    {"dropped", true}};
  for (const auto& [name, policy, counts] : scenario.phases) {
    std::vector<ReportCell> row{text_cell(name), text_cell(policy), time_cell(counts.started_us),
                                time_cell(counts.ended_us)};
    for (const Number& count : {counts.offered, counts.allowed, counts.denied, counts.unknown,
                                counts.failed, counts.late, counts.dropped})
      row.push_back(number_cell(count));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The worst of all policies.
template <class VerdictOf>
void add_verdict(const char* name, const ScenarioDocument& scenario, VerdictOf verdict_of,
                 ReportRun& run) {
  std::optional<VerdictKind> worst;
  for (const RunPolicyDocument& policy : scenario.policies)
    if (const auto& judged = verdict_of(policy.judged))
      if (const auto verdict = meaning_of<VerdictKind>(judged->verdict.bytes()))
        worst = std::max(worst, verdict);
  if (worst) run.figures.push_back({name, name_of(*worst)});
}

// Sums over the policies.
void add_figures(const ScenarioDocument& scenario, ReportRun& run) {
  const auto of_policy = [](const HistoryDocument& one) -> auto& { return one.policy; };
  const auto of_own = [](const HistoryDocument& one) -> auto& { return one.own_contract; };
  add_verdict("policy_verdict", scenario, of_policy, run);
  add_verdict("own_contract_verdict", scenario, of_own, run);
  if (scenario.seed.is_known()) run.figures.push_back({"seed", scenario.seed.digits()});
  run.figures.push_back({"duration_us", scenario.duration_us.digits()});
  for (const char* name : {"operations", "allowed", "denied", "unknown", "failed", "excess_certain",
                           "certain_false_denials"}) {
    double sum = 0;
    for (const RunPolicyDocument& policy : scenario.policies)
      sum += number_in(policy.judged.totals, name).or_zero();
    run.figures.push_back({name, Number(sum).digits()});
  }
}

ReportRun run_of(const ScenarioDocument& scenario) {
  ReportRun run;
  run.kind = RunKind::scenario;
  run.name = scenario.name.shown();
  run.run_id = scenario.run_id.shown();
  run.outcome = scenario.outcome.shown();
  run.verdict = outcome_word(run.outcome);
  if (scenario.found) run.found = scenario.found->verdict.shown();
  run.mood = mood_of_word(run.verdict);
  run.sentence = scenario.sentence.shown();
  run.checks = checks_of(scenario);
  // If the run was cut short or sent too late, maybe no single check shows the outcome: add it.
  const bool told = std::ranges::any_of(
      run.checks, [](const ReportCheck& check) { return check.mood != Mood::good; });
  if (run.mood != Mood::good && !told) run.checks.push_back({"outcome", run.mood, run.sentence});
  run.tables = {phase_table(scenario)};
  for (ReportTable& table : fault_tables(scenario.faults)) run.tables.push_back(std::move(table));
  for (const Text& reason : scenario.reasons)
    if (reason.shown() != run.sentence) run.notes.push_back(reason.shown());
  append_shown(scenario.notes, run.notes);
  add_figures(scenario, run);
  return run;
}

ReportTable scenario_table(const RunDocument& result) {
  ReportTable table;
  table.title = "Scenarios";
  table.columns = {{"scenario", false}, {"outcome", false}, {"expected", false}, {"found", false},
                   {"seed", true},      {"took", true},     {"file", false}};
  for (const ScenarioDocument& scenario : result.scenarios)
    table.rows.push_back(
        {text_cell(scenario.name),
         verdict_cell(scenario.outcome),
         text_cell(scenario.expected ? expected_of(scenario.expected->verdict) : "-"),
         text_cell(scenario.found ? scenario.found->verdict.shown() : "-"),
         {scenario.seed.digits(), scenario.seed.approximately()},
         time_cell(scenario.duration_us),
         text_cell(scenario.file)});
  return table;
}

}  // namespace

Report report_of(const RunDocument& result) {
  Report report;
  for (const ScenarioDocument& scenario : result.scenarios) {
    report.runs.push_back(run_of(scenario));
    if (!scenario.command.empty() && report.runs.back().mood != Mood::good)
      report.commands.push_back(escape_command(scenario.command.bytes()));
  }
  if (report.commands.empty() && result.scenarios.size() == 1)
    report.commands.push_back(escape_command(result.scenarios[0].command.bytes()));
  report.tables.push_back(scenario_table(result));
  return report;
}

}  // namespace rlctl
