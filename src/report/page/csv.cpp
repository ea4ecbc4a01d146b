#include <algorithm>
#include <cassert>
#include <string_view>

#include "base/escape.h"
#include "base/words.h"
#include "report/page/formats.h"

namespace rlctl {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r ") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + "\"";
}

std::string csv_text(const std::string& text) { return quoted(protected_cell(text)); }

// All of them are always written, so that a column's place does not depend on what was read.
constexpr std::string_view kFigureColumns[] = {"policy_verdict",
                                               "own_contract_verdict",
                                               "operations",
                                               "allowed",
                                               "denied",
                                               "unknown",
                                               "failed",
                                               "peak",
                                               "burst_factor",
                                               "overshoot",
                                               "max_certain",
                                               "max_possible",
                                               "excess_certain",
                                               "certain_false_denials",
                                               "slack_us",
                                               "accuracy_low",
                                               "accuracy_high",
                                               "seed",
                                               "duration_us",
                                               "latency_intended_p50_us",
                                               "latency_intended_p90_us",
                                               "latency_intended_p95_us",
                                               "latency_intended_p99_us",
                                               "latency_intended_p999_us",
                                               "latency_intended_p9999_us",
                                               "latency_intended_max_us",
                                               "latency_sent_p50_us",
                                               "latency_sent_p90_us",
                                               "latency_sent_p95_us",
                                               "latency_sent_p99_us",
                                               "latency_sent_p999_us",
                                               "latency_sent_p9999_us",
                                               "latency_sent_max_us",
                                               "decisions_per_second",
                                               "server_cpu_us_per_decision",
                                               "client_cpu_us_per_decision",
                                               "redis_cpu_percent",
                                               "bytes_per_key",
                                               "latency_mean_us",
                                               "latency_p50_us",
                                               "latency_p90_us",
                                               "latency_p95_us",
                                               "latency_p99_us",
                                               "latency_p999_us",
                                               "latency_max_us",
                                               "denied_decisions_per_second",
                                               "denied_server_cpu_us_per_decision"};

std::string csv_value(const ReportRun& run, std::string_view name) {
  const auto found = std::ranges::find(run.figures, name, &NamedFigure::name);
  if (found == run.figures.end()) return "";
  const bool is_number = found->value.find_first_not_of("+-.0123456789e") == std::string::npos;
  return is_number ? quoted(found->value) : csv_text(found->value);
}

}  // namespace

std::string report_csv(const Report& report) {
  std::string text = "run,verdict,outcome,reason";
  for (const std::string_view name : kFigureColumns) text.append(",").append(name);
  text += "\r\n";
  [[maybe_unused]] const auto has_column = [](const NamedFigure& figure) {
    return std::ranges::find(kFigureColumns, figure.name) != std::end(kFigureColumns);
  };
  for (const ReportRun& run : report.runs) {
    assert(std::ranges::all_of(run.figures, has_column));
    text += csv_text(run.name) + "," + csv_text(run.found) + "," + csv_text(run.outcome) + "," +
            csv_text(run.sentence);
    for (const std::string_view name : kFigureColumns) text += "," + csv_value(run, name);
    text += "\r\n";
  }
  return text;
}

}  // namespace rlctl
