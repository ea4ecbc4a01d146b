#include <fmt/format.h>

#include "base/units.h"
#include "report/page/of_results.h"

namespace rlctl {
namespace {

std::string rate_of(const ResultJson& contract) {
  return fmt::format("{} per {}", format_count(whole_of(contract, "limit")),
                     format_duration(whole_of(contract, "window_us")));
}

std::vector<ReportCheck> verify_checks(const ResultJson& json) {
  std::vector<ReportCheck> checks;
  const ResultJson& policy = member(json, "policy");
  const std::string kept = text_of(policy, "verdict");
  if (!kept.empty())
    checks.push_back({"policy: " + rate_of(policy) + ", in any window", mood_of_word(kept), kept});
  const ResultJson& own = member(json, "own_contract");
  const std::string own_kept = text_of(own, "verdict");
  if (!own_kept.empty()) {
    const ResultJson& contract = member(own, "contract");
    checks.push_back(
        {fmt::format("own contract: {}, {}", text_of(contract, "kind"), rate_of(contract)),
         mood_of_word(own_kept), own_kept + ": " + text_of(own, "reason")});
  }
  return checks;
}

ReportTable key_table(const ResultJson& json) {
  ReportTable table;
  table.title = "Keys, worst first";
  table.columns = {{"key", false},          {"allowed", true},          {"denied", true},
                   {"unknown", true},       {"most in a window", true}, {"too many", true},
                   {"false denials", true}, {"accuracy, %", true}};
  for (const ResultJson& key : list(json, "keys"))
    table.rows.push_back(
        {text_cell(text_of(key, "key")), number_cell(number_of(key, "allowed")),
         number_cell(number_of(key, "denied")), number_cell(number_of(key, "unknown")),
         number_cell(number_of(key, "max_certain")), number_cell(number_of(key, "excess_certain")),
         number_cell(number_of(key, "certain_false_denials")),
         number_cell(number_of(key, "accuracy_low"), 2)});
  return table;
}

void add_verify_figures(const ResultJson& json, ReportRun& run) {
  const ResultJson& totals = member(json, "totals");
  for (const char* name : {"operations", "allowed", "denied", "unknown", "failed", "peak",
                           "burst_factor", "max_possible", "excess_certain",
                           "certain_false_denials", "slack_us", "accuracy_low", "accuracy_high"})
    if (const auto value = number_of(totals, name))
      run.figures.push_back({name, plain_number(value)});
}

ReportRun verify_run(const ResultJson& json) {
  ReportRun run;
  const std::string algorithm = text_of(json, "algorithm");
  const std::string history = text_of(json, "history");
  run.name = algorithm.empty() ? text_of(json, "pattern") : algorithm;
  if (run.name.empty()) run.name = "log";
  if (!history.empty()) run.name = history + ", " + run.name;
  run.verdict = text_of(json, "verdict");
  run.mood = mood_of_word(run.verdict);
  run.sentence = text_of(json, "reason");
  run.remedy = text_of(json, "remedy");
  run.checks = verify_checks(json);
  run.tables = {key_table(json)};
  for (const ResultJson& note : list(json, "notes"))
    if (note.is_string()) run.notes.push_back(text_of({{"note", note}}, "note"));
  add_verify_figures(json, run);
  return run;
}

}  // namespace

Report report_of_verify(const ResultJson& json) {
  Report report;
  const ResultJson& policy = member(json, "policy");
  if (policy.is_object()) report.facts.push_back({"Policy", rate_of(policy) + ", in any window"});
  if (number_of(json, "seed")) report.facts.push_back({"Seed", whole_text_of(json, "seed")});
  if (const std::string command = text_of(json, "command"); !command.empty())
    report.commands.push_back(command);
  const ResultJson& histories = list(json, "histories");
  for (const ResultJson& history : histories) report.runs.push_back(verify_run(history));
  if (histories.empty()) report.runs.push_back(verify_run(json));
  return report;
}

}  // namespace rlctl
