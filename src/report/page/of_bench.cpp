#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "arrivals/attack.h"
#include "base/units.h"
#include "report/page/bench_words.h"
#include "report/page/cells.h"
#include "report/page/of_results.h"
#include "result/codec.h"

namespace rlctl {
namespace {

// What the rules allow in a window.
Number limit_of(const BenchDocument& bench) {
  const Rules rules = rules_of(bench.policy.rules);
  return rules.empty() ? Number() : Number(most_in_window(rules));
}

const AttackDocument* worst_attack_of(const AlgorithmDocument& algorithm) {
  const AttackDocument* worst = nullptr;
  for (const AttackDocument& attack : algorithm.attacks)
    if (worst == nullptr || attack.peak.whole() > worst->peak.whole()) worst = &attack;
  return worst;
}

// Of all attacks.
struct AttackSums {
  std::int64_t decisions = 0;
  std::int64_t right = 0;
  std::int64_t excess = 0;
  std::int64_t false_denials = 0;
};

AttackSums sums_of(const AlgorithmDocument& algorithm) {
  AttackSums sums;
  for (const AttackDocument& attack : algorithm.attacks) {
    const std::int64_t decisions = attack.allowed.whole() + attack.denied.whole();
    sums.decisions += decisions;
    sums.right +=
        std::llround(attack.accuracy_low.or_zero() / 100 * static_cast<double>(decisions));
    sums.excess += attack.excess_certain.whole();
    sums.false_denials += attack.certain_false_denials.whole();
  }
  return sums;
}

std::string sentence_of(const AlgorithmDocument& algorithm, const BenchDocument& bench) {
  const AttackDocument* worst = worst_attack_of(algorithm);
  if (worst == nullptr) {
    const Number& rate = algorithm.medians.decisions_per_second;
    return rate.is_known() ? number_cell(rate).text + " decisions/s"
                           : algorithm.not_attacked.shown();
  }
  const AttackSums sums = sums_of(algorithm);
  const Rules rules = rules_of(bench.policy.rules);
  if (algorithm.policy_verdict == "holds" && !rules.empty())
    return kept_in_words(rules, sums.right, sums.decisions);
  const std::int64_t peak = worst->peak.whole();
  const std::int64_t limit = limit_of(bench).whole();
  if (peak > limit)
    return fmt::format(
        "{} (limit {}) within {} ({} attack)", counted(peak, "admission"), format_count(limit),
        format_duration_for_people(worst->worst_span_us.whole()), worst->name.shown());
  if (sums.excess > 0) return excess_in_words(sums.excess);
  if (sums.false_denials > 0) return false_denials_in_words(sums.false_denials);
  return fmt::format("at most {} (limit {}) in any window, {}", counted(peak, "admission"),
                     format_count(limit), counted(algorithm.attacks.size(), "attack"));
}

void add_figures(const AlgorithmDocument& algorithm, ReportRun& run) {
  const auto add = [&](std::string name, const Number& value) {
    if (value.is_known()) run.figures.push_back({std::move(name), value.digits()});
  };
  for (const char* name : {"decisions_per_second", "server_cpu_us_per_decision",
                           "client_cpu_us_per_decision", "redis_cpu_percent", "bytes_per_key",
                           "accuracy_low", "accuracy_high", "peak", "burst_factor"})
    add(name, number_in(algorithm, name));
  for (const char* name : {"mean", "p50", "p90", "p95", "p99", "p999", "max"})
    add(fmt::format("latency_{}_us", name), number_in(algorithm.medians.latency_us, name));
  for (const char* name : {"decisions_per_second", "server_cpu_us_per_decision"})
    add(fmt::format("denied_{}", name), number_in(algorithm.denied.medians, name));
}

ReportRun run_of(const AlgorithmDocument& algorithm, const BenchDocument& bench) {
  ReportRun run;
  run.name = algorithm.name.shown();
  run.kind = RunKind::algorithm;
  run.run_id = bench.run_id.shown();
  run.verdict = algorithm.policy_verdict.shown();
  run.found = run.verdict;
  run.mood = mood_of_word(run.verdict);
  run.sentence = sentence_of(algorithm, bench);
  const std::string own = algorithm.own_contract.shown();
  if (!run.verdict.empty()) {
    run.checks.push_back({"policy: " + rules_in_words(bench.policy.rules), run.mood,
                          run.verdict + ": " + run.sentence});
    run.figures.push_back({"policy_verdict", run.verdict});
  }
  if (!own.empty()) {
    const std::string reason = algorithm.own_contract_reason.shown();
    run.checks.push_back(
        {"own contract", mood_of_word(own), own + (reason.empty() ? "" : ": " + reason)});
    run.figures.push_back({"own_contract_verdict", own});
  }
  append_shown({algorithm.remark}, run.notes);
  add_figures(algorithm, run);
  if (run.verdict.empty() && !run.figures.empty()) run.verdict = "measured";
  return run;
}

ReportCell accuracy_cell(const AlgorithmDocument& algorithm) {
  const auto low = algorithm.accuracy_low.approximately();
  const auto high = algorithm.accuracy_high.approximately();
  if (!low || !high) return number_cell({});
  ReportCell cell{fmt::format("{:.4g}", *low), *low, Mood::neutral};
  if (*low != *high) cell.text += fmt::format(" to {:.4g}", *high);
  return cell;
}

ReportTable table_of(const BenchDocument& bench) {
  ReportTable table;
  table.title = "Bench: " + shown(bench.policy.rules);
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
                   {"accuracy in the worst attack, %", true},
                   {"worst window", true},
                   {"times the limit", true}};
  for (const AlgorithmDocument& algorithm : bench.algorithms) {
    const LatencyDocument& latency = algorithm.medians.latency_us;
    const SpeedDocument& denied = algorithm.denied.medians;
    table.rows.push_back(
        {text_cell(algorithm.name), verdict_cell(algorithm.policy_verdict),
         verdict_cell(algorithm.own_contract), number_cell(algorithm.medians.decisions_per_second),
         number_cell(denied.decisions_per_second), number_cell(latency.p50),
         number_cell(latency.p99), number_cell(latency.p999), number_cell(latency.max),
         number_cell(algorithm.medians.server_cpu_us_per_decision, 2),
         number_cell(denied.server_cpu_us_per_decision, 2), number_cell(algorithm.bytes_per_key),
         accuracy_cell(algorithm), number_cell(algorithm.peak),
         number_cell(algorithm.burst_factor, 2)});
  }
  return table;
}

// One value per algorithm for a series.
template <class NumberOf>
std::vector<std::optional<double>> values_of(const BenchDocument& bench, NumberOf number_of) {
  std::vector<std::optional<double>> values;
  for (const AlgorithmDocument& algorithm : bench.algorithms)
    values.push_back(number_of(algorithm).approximately());
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

BarChart chart_of(const BenchDocument& bench, const char* title, const char* unit) {
  BarChart chart;
  chart.title = title;
  chart.unit = unit;
  for (const AlgorithmDocument& algorithm : bench.algorithms)
    chart.groups.push_back(algorithm.name.shown());
  return chart;
}

BarChart worst_windows(const BenchDocument& bench) {
  BarChart chart = chart_of(bench, "Worst window under attack", "admissions");
  chart.limit = limit_of(bench).approximately();
  for (const Attack attack : kAttacks) {
    const auto peak_of = [attack](const AlgorithmDocument& algorithm) {
      Number peak;
      for (const AttackDocument& played : algorithm.attacks)
        if (played.name == name_of(attack)) peak = played.peak;
      return peak;
    };
    add_series(name_of(attack), values_of(bench, peak_of), chart);
  }
  return chart;
}

// A chart with one bar for admitted and one for denied traffic.
BarChart by_traffic(const BenchDocument& bench, const char* title, const char* unit,
                    Number SpeedDocument::*part) {
  BarChart chart = chart_of(bench, title, unit);
  add_series("admitted", values_of(bench, [part](auto& one) { return one.medians.*part; }), chart);
  add_series("denied", values_of(bench, [part](auto& one) { return one.denied.medians.*part; }),
             chart);
  return chart;
}

BarChart latencies(const BenchDocument& bench) {
  BarChart chart = chart_of(bench, "Latency of admitted requests, by percentile", "µs");
  chart.is_logarithmic = true;
  for (const auto& [name, part] :
       {std::pair{"p50", &LatencyDocument::p50}, std::pair{"p90", &LatencyDocument::p90},
        std::pair{"p99", &LatencyDocument::p99}, std::pair{"p99.9", &LatencyDocument::p999},
        std::pair{"max", &LatencyDocument::max}})
    add_series(name, values_of(bench, [part](auto& one) { return one.medians.latency_us.*part; }),
               chart);
  return chart;
}

std::vector<BarChart> charts_of(const BenchDocument& bench) {
  BarChart memory = chart_of(bench, "Memory of a full key", "bytes");
  add_series("bytes", values_of(bench, [](auto& one) { return one.bytes_per_key; }), memory);
  std::vector<BarChart> charts{worst_windows(bench),
                               by_traffic(bench, "Decisions per second", "decisions/s",
                                          &SpeedDocument::decisions_per_second),
                               latencies(bench),
                               by_traffic(bench, "Server CPU per decision", "µs of CPU",
                                          &SpeedDocument::server_cpu_us_per_decision),
                               std::move(memory)};
  std::erase_if(charts, [](const BarChart& chart) { return chart.series.empty(); });
  return charts;
}

}  // namespace

Report report_of(const BenchDocument& bench) {
  Report report;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) report.facts.push_back({name, value});
  };
  add("Policy", rules_in_words(bench.policy.rules));
  add("Server", bench.server.shown());
  add("Run", bench.run_id.shown());
  add("Connections", number_cell(bench.connections).text);
  add("Keys", number_cell(bench.keys).text);
  if (bench.clock == "virtual") add("Attacks", "on the virtual clock");
  if (!bench.command.empty()) report.commands.push_back(escape_command(bench.command.bytes()));
  if (!bench.problem.empty())
    report.notes.push_back("the bench ended early: " + bench.problem.shown());
  report.tables.push_back(table_of(bench));
  report.bars = charts_of(bench);
  report.bars_note = "Medians over the rounds.";
  for (const AlgorithmDocument& algorithm : bench.algorithms)
    report.runs.push_back(run_of(algorithm, bench));
  return report;
}

}  // namespace rlctl
