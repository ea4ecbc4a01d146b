#include <fmt/format.h>

#include "base/units.h"
#include "report/page/cells.h"
#include "report/page/fault_tables.h"
#include "report/page/of_results.h"
#include "result/codec.h"

namespace rlctl {
namespace {

std::vector<ReportCheck> checks_of(const HistoryDocument& history) {
  std::vector<ReportCheck> checks;
  if (const auto& policy = history.policy; policy && !policy->verdict.empty()) {
    const std::string kept = policy->verdict.shown();
    checks.push_back({"policy: " + shown(policy->rules), mood_of_word(kept), kept});
  }
  if (const auto& own = history.own_contract; own && !own->verdict.empty()) {
    const std::string kept = own->verdict.shown();
    checks.push_back({"own contract: " + shown(own->rules), mood_of_word(kept),
                      kept + ": " + own->reason.shown()});
  }
  return checks;
}

ReportCell key_cell(const Text& key, const Text& rule) {
  return rule.empty() ? text_cell(key) : text_cell(key.shown() + " (" + rule.shown() + ")");
}

ReportTable key_table(const HistoryDocument& history) {
  ReportTable table;
  table.title = "Keys, worst first";
  table.columns = {{"key", false},          {"allowed", true},          {"denied", true},
                   {"unknown", true},       {"most in a window", true}, {"too many", true},
                   {"false denials", true}, {"accuracy, %", true}};
  for (const auto& [key, rule, figures] : history.keys)
    table.rows.push_back({key_cell(key, rule), number_cell(figures.allowed),
                          number_cell(figures.denied), number_cell(figures.unknown),
                          number_cell(figures.max_certain), number_cell(figures.excess_certain),
                          number_cell(figures.certain_false_denials),
                          number_cell(figures.accuracy_low, 2)});
  return table;
}

ReportTable target_table(const HistoryDocument& history) {
  ReportTable table = empty_target_table();
  for (const auto& [name, requests, allowed, denied, unknown, failed] : history.targets)
    table.rows.push_back({text_cell(name), number_cell(requests), number_cell(allowed),
                          number_cell(denied), number_cell(unknown), number_cell(failed)});
  return table;
}

void add_figures(const HistoryDocument& history, ReportRun& run) {
  if (history.policy) run.figures.push_back({"policy_verdict", history.policy->verdict.shown()});
  if (history.own_contract)
    run.figures.push_back({"own_contract_verdict", history.own_contract->verdict.shown()});
  for (const char* name :
       {"operations", "allowed", "denied", "unknown", "failed", "peak", "burst_factor", "overshoot",
        "max_certain", "max_possible", "excess_certain", "certain_false_denials", "slack_us",
        "accuracy_low", "accuracy_high"})
    if (const Number value = number_in(history.totals, name); value.is_known())
      run.figures.push_back({name, value.digits()});
}

ReportRun run_of(const HistoryDocument& history, const Text& otherwise) {
  ReportRun run;
  run.name = history.algorithm.empty() ? otherwise.shown() : history.algorithm.shown();
  if (run.name.empty()) run.name = "log";
  if (!history.history.empty()) run.name = history.history.shown() + ", " + run.name;
  run.verdict = history.verdict.shown();
  run.found = run.verdict;
  run.mood = mood_of_word(run.verdict);
  run.sentence = history.reason.shown();
  run.remedy = history.remedy.shown();
  run.checks = checks_of(history);
  if (!history.targets.empty()) run.tables.push_back(target_table(history));
  run.tables.push_back(key_table(history));
  append_shown(history.notes, run.notes);
  add_figures(history, run);
  return run;
}

// `otherwise`: the name of a history without an algorithm.
void add_logs(const JudgedLogsDocument& logs, const Text& otherwise, Report& report) {
  if (logs.worst.policy && !logs.worst.policy->rules.empty())
    report.facts.push_back({"Policy", rules_in_words(logs.worst.policy->rules)});
  for (const HistoryDocument& history : logs.histories) report.runs.push_back(run_of(history, {}));
  if (logs.histories.empty()) report.runs.push_back(run_of(logs.worst, otherwise));
}

}  // namespace

Report report_of(const VerifyDocument& result) {
  Report report;
  add_logs(result.logs, {}, report);
  return report;
}

Report report_of(const SimulateDocument& result) {
  Report report;
  add_logs(result.judged, result.pattern, report);
  if (report.runs.size() == 1 && !result.outcome.empty()) {
    ReportRun& run = report.runs.front();
    run.kind = RunKind::simulation;
    run.run_id = result.run_id.shown();
    run.outcome = result.outcome.shown();
    run.verdict = outcome_word(run.outcome);
    run.mood = mood_of_word(run.verdict);
    run.sentence = result.sentence.shown();
    for (ReportTable& table : fault_tables(result.faults)) run.tables.push_back(std::move(table));
  }
  if (result.seed.is_known()) report.facts.push_back({"Seed", result.seed.digits()});
  if (!result.command.empty()) report.commands.push_back(escape_command(result.command.bytes()));
  return report;
}

}  // namespace rlctl
