#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/units.h"
#include "report/page/of_results.h"

namespace rlctl {
namespace {

std::string policy_of(const ResultJson& json) {
  const ResultJson& policy = member(json, "policy");
  return fmt::format("{} per {}", format_count(whole_of(policy, "limit")),
                     format_duration(whole_of(policy, "window_us")));
}

const ResultJson* worst_attack_of(const ResultJson& algorithm) {
  const ResultJson* worst = nullptr;
  for (const ResultJson& attack : list(algorithm, "attacks"))
    if (worst == nullptr || whole_of(attack, "peak") > whole_of(*worst, "peak")) worst = &attack;
  return worst;
}

std::string sentence_of(const ResultJson& algorithm, const ResultJson& bench) {
  const ResultJson* worst = worst_attack_of(algorithm);
  if (worst == nullptr) {
    const auto rate = number_of(algorithm, "decisions_per_second");
    return rate ? number_cell(rate).text + " decisions/s" : text_of(algorithm, "not_attacked");
  }
  const std::int64_t peak = whole_of(*worst, "peak");
  const std::int64_t limit = whole_of(member(bench, "policy"), "limit");
  if (peak > limit)
    return fmt::format(
        "{} admissions (limit {}) within {} ({} attack)", format_count(peak), format_count(limit),
        format_duration_for_people(whole_of(*worst, "worst_span_us")), text_of(*worst, "name"));
  return fmt::format("at most {} admissions (limit {}) in any window, {} attacks",
                     format_count(peak), format_count(limit), list(algorithm, "attacks").size());
}

void add_figures(const ResultJson& algorithm, ReportRun& run) {
  const auto add = [&](std::string name, const ResultJson& json, const char* field) {
    if (const auto value = number_of(json, field))
      run.figures.push_back({std::move(name), plain_number(value)});
  };
  for (const char* name : {"decisions_per_second", "server_cpu_us_per_decision",
                           "client_cpu_us_per_decision", "redis_cpu_percent", "bytes_per_key",
                           "accuracy_low", "accuracy_high", "peak", "burst_factor"})
    add(name, algorithm, name);
  const ResultJson& latency = member(algorithm, "latency_us");
  for (const char* name : {"mean", "p50", "p90", "p95", "p99", "p999", "max"})
    add(fmt::format("latency_{}_us", name), latency, name);
  const ResultJson& denied = member(algorithm, "denied");
  for (const char* name : {"decisions_per_second", "server_cpu_us_per_decision"})
    add(fmt::format("denied_{}", name), denied, name);
}

ReportRun run_of(const ResultJson& algorithm, const ResultJson& bench) {
  ReportRun run;
  run.name = text_of(algorithm, "name");
  run.run_id = text_of(bench, "run_id");
  run.verdict = text_of(algorithm, "policy_verdict");
  run.mood = mood_of_word(run.verdict);
  run.sentence = sentence_of(algorithm, bench);
  const std::string own = text_of(algorithm, "own_contract");
  if (!run.verdict.empty()) {
    run.checks.push_back({"policy: " + policy_of(bench) + ", in any window", run.mood,
                          run.verdict + ": " + run.sentence});
    run.figures.push_back({"policy_verdict", run.verdict});
  }
  if (!own.empty()) {
    run.checks.push_back({"own contract", mood_of_word(own), own});
    run.figures.push_back({"own_contract_verdict", own});
  }
  if (run.verdict.empty()) run.verdict = "measured";
  const std::string remark = text_of(algorithm, "remark");
  if (!remark.empty()) run.notes.push_back(remark);
  add_figures(algorithm, run);
  return run;
}

ReportCell accuracy_cell(const ResultJson& algorithm) {
  const auto low = number_of(algorithm, "accuracy_low");
  const auto high = number_of(algorithm, "accuracy_high");
  if (!low || !high) return text_cell("-");
  ReportCell cell{fmt::format("{:.4g}", *low), *low, Mood::neutral};
  if (*low != *high) cell.text += fmt::format(" to {:.4g}", *high);
  return cell;
}

ReportTable table_of(const ResultJson& bench) {
  ReportTable table;
  table.title = "Bench: " + policy_of(bench);
  table.note =
      "speed: medians over the rounds; accuracy and worst window: the worst of the attacks";
  table.columns = {{"algorithm", false},
                   {"policy", false},
                   {"own contract", false},
                   {"decisions/s", true},
                   {"denied: decisions/s", true},
                   {"p50, µs", true},
                   {"p99, µs", true},
                   {"p99.9, µs", true},
                   {"max, µs", true},
                   {"server CPU, µs", true},
                   {"denied: server CPU, µs", true},
                   {"bytes per key", true},
                   {"accuracy, %", true},
                   {"worst window", true},
                   {"times the limit", true}};
  for (const ResultJson& algorithm : list(bench, "algorithms")) {
    const ResultJson& latency = member(algorithm, "latency_us");
    const ResultJson& denied = member(algorithm, "denied");
    table.rows.push_back(
        {text_cell(text_of(algorithm, "name")), verdict_cell(text_of(algorithm, "policy_verdict")),
         verdict_cell(text_of(algorithm, "own_contract")),
         number_cell(number_of(algorithm, "decisions_per_second")),
         number_cell(number_of(denied, "decisions_per_second")),
         number_cell(number_of(latency, "p50")), number_cell(number_of(latency, "p99")),
         number_cell(number_of(latency, "p999")), number_cell(number_of(latency, "max")),
         number_cell(number_of(algorithm, "server_cpu_us_per_decision"), 2),
         number_cell(number_of(denied, "server_cpu_us_per_decision"), 2),
         number_cell(number_of(algorithm, "bytes_per_key")), accuracy_cell(algorithm),
         number_cell(number_of(algorithm, "peak")),
         number_cell(number_of(algorithm, "burst_factor"), 2)});
  }
  return table;
}

// One value per algorithm for a series; `part`: the member that contains it, or null.
std::vector<std::optional<double>> values_of(const ResultJson& bench, const char* part,
                                             const char* field) {
  std::vector<std::optional<double>> values;
  for (const ResultJson& algorithm : list(bench, "algorithms"))
    values.push_back(number_of(part == nullptr ? algorithm : member(algorithm, part), field));
  return values;
}

void add_series(const char* name, std::vector<std::optional<double>> values, BarChart& chart) {
  for (const auto& value : values) {
    if (!value) continue;
    chart.series.push_back(name);
    chart.values.push_back(std::move(values));
    return;
  }
}

BarChart chart_of(const ResultJson& bench, const char* title, const char* unit) {
  BarChart chart;
  chart.title = title;
  chart.unit = unit;
  for (const ResultJson& algorithm : list(bench, "algorithms"))
    chart.groups.push_back(text_of(algorithm, "name"));
  return chart;
}

BarChart worst_windows(const ResultJson& bench) {
  BarChart chart = chart_of(bench, "Worst window under attack", "admissions");
  chart.limit = number_of(member(bench, "policy"), "limit");
  for (const char* attack : {"aligned", "anchored", "hammer"}) {
    std::vector<std::optional<double>> peaks;
    for (const ResultJson& algorithm : list(bench, "algorithms")) {
      peaks.emplace_back();
      for (const ResultJson& played : list(algorithm, "attacks"))
        if (text_of(played, "name") == attack) peaks.back() = number_of(played, "peak");
    }
    add_series(attack, std::move(peaks), chart);
  }
  return chart;
}

std::vector<BarChart> charts_of(const ResultJson& bench) {
  BarChart rate = chart_of(bench, "Decisions per second", "decisions/s");
  add_series("admitted", values_of(bench, nullptr, "decisions_per_second"), rate);
  add_series("denied", values_of(bench, "denied", "decisions_per_second"), rate);
  BarChart latency = chart_of(bench, "Latency of admitted requests, by percentile", "µs");
  latency.is_logarithmic = true;
  for (const auto& [name, field] :
       {std::pair{"p50", "p50"}, std::pair{"p90", "p90"}, std::pair{"p99", "p99"},
        std::pair{"p99.9", "p999"}, std::pair{"max", "max"}})
    add_series(name, values_of(bench, "latency_us", field), latency);
  BarChart cpu = chart_of(bench, "Server CPU per decision", "µs of CPU");
  add_series("admitted", values_of(bench, nullptr, "server_cpu_us_per_decision"), cpu);
  add_series("denied", values_of(bench, "denied", "server_cpu_us_per_decision"), cpu);
  BarChart memory = chart_of(bench, "Memory of a full key", "bytes");
  add_series("bytes", values_of(bench, nullptr, "bytes_per_key"), memory);
  std::vector<BarChart> charts{worst_windows(bench), std::move(rate), std::move(latency),
                               std::move(cpu), std::move(memory)};
  std::erase_if(charts, [](const BarChart& chart) { return chart.series.empty(); });
  return charts;
}

}  // namespace

Report report_of_bench(const ResultJson& json) {
  Report report;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) report.facts.push_back({name, value});
  };
  add("Policy", policy_of(json) + ", in any window");
  add("Server", text_of(json, "server"));
  add("Run", text_of(json, "run_id"));
  add("Connections", number_cell(number_of(json, "connections")).text);
  add("Keys", number_cell(number_of(json, "keys")).text);
  if (text_of(json, "clock") == "virtual") add("Attacks", "on the virtual clock");
  if (const std::string command = text_of(json, "command"); !command.empty())
    report.commands.push_back(command);
  if (const std::string problem = text_of(json, "problem"); !problem.empty())
    report.notes.push_back("the bench ended early: " + problem);
  report.tables.push_back(table_of(json));
  report.bars = charts_of(json);
  for (const ResultJson& algorithm : list(json, "algorithms"))
    report.runs.push_back(run_of(algorithm, json));
  return report;
}

}  // namespace rlctl
