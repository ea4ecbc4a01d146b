#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "report/page/of_results.h"

namespace rlctl {
namespace {

std::string expected_of(const ResultJson& scenario, const char* what = "verdict") {
  const std::string verdict = text_of(member(scenario, "expected"), what);
  return verdict.empty() ? "any" : verdict;
}

// By the same rules as the run itself (scenario/scenario_result.h).
Mood held(const std::string& expected, const std::string& found) {
  if (expected == found) return Mood::good;
  if (found == "inconclusive" || found.empty()) return Mood::doubtful;
  return expected == "any" ? Mood::good : Mood::bad;
}

ReportCheck verdict_check(const ResultJson& scenario, const char* what, const char* name) {
  const ResultJson& found = member(scenario, "found");
  const std::string verdict = text_of(found, what);
  const std::string expected = expected_of(scenario, what);
  const bool played = text_of(scenario, "problem").empty();
  return {std::string(name) + ": " + expected, played ? held(expected, verdict) : Mood::doubtful,
          fmt::format("found {}: {}", verdict, text_of(found, "reason"))};
}

std::string sentence_of(const ResultJson& scenario) {
  const std::string problem = text_of(scenario, "problem");
  if (!problem.empty()) return problem;
  const ResultJson& found = member(scenario, "found");
  std::string sentence = text_of(found, "verdict");
  if (text_of(scenario, "outcome") == "passed" && sentence == expected_of(scenario))
    sentence += ", as expected";
  const std::string reason = text_of(found, "reason");
  return reason.empty() ? sentence : sentence + ": " + reason;
}

std::vector<ReportCheck> checks_of(const ResultJson& scenario) {
  std::vector<ReportCheck> checks{verdict_check(scenario, "verdict", "verdict")};
  if (expected_of(scenario, "own_contract") != "any")
    checks.push_back(verdict_check(scenario, "own_contract", "its own contract"));
  for (const ResultJson& expectation : list(scenario, "expectations")) {
    std::string message = "measured " + text_of(expectation, "measured");
    const std::string why = text_of(expectation, "why");
    if (!why.empty()) message += "; " + why;
    checks.push_back({text_of(expectation, "that"), mood_of_word(text_of(expectation, "result")),
                      std::move(message)});
  }
  return checks;
}

ReportTable phase_table(const ResultJson& scenario) {
  ReportTable table;
  table.title = "Phases";
  table.columns = {{"phase", false},  {"policy", false}, {"from", true},   {"to", true},
                   {"offered", true}, {"allowed", true}, {"denied", true}, {"unknown", true},
                   {"failed", true},  {"late", true},    {"dropped", true}};
  const auto time = [](const ResultJson& phase, const char* name) -> ReportCell {
    const std::int64_t us = whole_of(phase, name);
    return {format_duration_for_people(us), static_cast<double>(us), Mood::neutral};
  };
  for (const ResultJson& phase : list(scenario, "phases")) {
    std::vector<ReportCell> row{text_cell(text_of(phase, "name")),
                                text_cell(text_of(phase, "policy")), time(phase, "started_us"),
                                time(phase, "ended_us")};
    for (const char* name :
         {"offered", "allowed", "denied", "unknown", "failed", "late", "dropped"})
      row.push_back(number_cell(number_of(phase, name)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_strings(const ResultJson& json, const char* name, std::vector<std::string>& out) {
  for (const ResultJson& one : list(json, name))
    if (one.is_string()) out.push_back(text_of({{"text", one}}, "text"));
}

// Sums over the policies.
void add_scenario_figures(const ResultJson& scenario, ReportRun& run) {
  run.figures.push_back({"outcome", text_of(scenario, "outcome")});
  run.figures.push_back({"seed", whole_text_of(scenario, "seed")});
  run.figures.push_back({"duration_us", plain_number(number_of(scenario, "duration_us"))});
  for (const char* name : {"operations", "allowed", "denied", "unknown", "failed", "excess_certain",
                           "certain_false_denials"}) {
    double sum = 0;
    for (const ResultJson& policy : list(scenario, "policies"))
      sum += number_of(member(policy, "totals"), name).value_or(0);
    run.figures.push_back({name, plain_number(sum)});
  }
}

ReportRun run_of(const ResultJson& scenario) {
  ReportRun run;
  run.name = text_of(scenario, "name");
  run.verdict = text_of(scenario, "outcome");
  if (run.verdict == "could_not_run") run.verdict = "could not run";
  run.mood = mood_of_word(run.verdict);
  run.sentence = sentence_of(scenario);
  run.checks = checks_of(scenario);
  // If the run was cut short or sent too late, maybe no single check shows the outcome: add it.
  const bool told = std::ranges::any_of(
      run.checks, [](const ReportCheck& check) { return check.mood != Mood::good; });
  if (run.mood != Mood::good && !told) run.checks.push_back({"outcome", run.mood, run.sentence});
  run.tables = {phase_table(scenario)};
  add_strings(scenario, "reasons", run.notes);
  add_strings(scenario, "notes", run.notes);
  add_scenario_figures(scenario, run);
  return run;
}

ReportTable scenario_table(const ResultJson& json) {
  ReportTable table;
  table.title = "Scenarios";
  table.columns = {{"scenario", false}, {"outcome", false}, {"expected", false}, {"found", false},
                   {"seed", true},      {"took", true},     {"file", false}};
  for (const ResultJson& scenario : list(json, "scenarios")) {
    const std::int64_t took_us = whole_of(scenario, "duration_us");
    table.rows.push_back({text_cell(text_of(scenario, "name")),
                          verdict_cell(text_of(scenario, "outcome")),
                          text_cell(expected_of(scenario)),
                          text_cell(text_of(member(scenario, "found"), "verdict")),
                          {whole_text_of(scenario, "seed"), number_of(scenario, "seed")},
                          {format_duration_for_people(took_us), static_cast<double>(took_us)},
                          text_cell(text_of(scenario, "file"))});
  }
  return table;
}

}  // namespace

Report report_of_run(const ResultJson& json) {
  Report report;
  for (const char* name : {"passed", "failed", "inconclusive"})
    report.facts.push_back({name, number_cell(number_of(json, name)).text});
  for (const ResultJson& scenario : list(json, "scenarios")) {
    report.runs.push_back(run_of(scenario));
    const std::string command = text_of(scenario, "command");
    if (!command.empty() && report.runs.back().mood != Mood::good)
      report.commands.push_back(command);
  }
  const ResultJson& scenarios = list(json, "scenarios");
  if (report.commands.empty() && scenarios.size() == 1)
    report.commands.push_back(text_of(scenarios[0], "command"));
  report.tables.push_back(scenario_table(json));
  return report;
}

}  // namespace rlctl
