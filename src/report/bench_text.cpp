#include "report/bench_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/table.h"
#include "base/units.h"
#include "base/utf8.h"
#include "report/bench_figures.h"

namespace rlctl {
namespace {

constexpr const char* kNothing = "-";

// One line of the table: its name, and how to print its value for an algorithm.
struct Metric {
  std::string name;
  std::string part;
  std::function<std::string(const AlgorithmResult&)> show;
};

const std::vector<SpeedRound>& rounds_of(const AlgorithmResult& result, bool admitted) {
  return admitted ? result.admitted : result.denied;
}

template <typename Value>
std::function<std::string(const AlgorithmResult&)> with_spread(bool admitted, Value value_of,
                                                               int digits) {
  return [=](const AlgorithmResult& result) -> std::string {
    const auto shown = figure(rounds_of(result, admitted), value_of);
    if (!shown) return kNothing;
    if (shown->median <= 0) return kNothing;  // the server did not report it
    const std::string value = digits == 0 ? format_count(static_cast<std::int64_t>(shown->median))
                                          : fmt::format("{:.{}f}", shown->median, digits);
    if (rounds_of(result, admitted).size() < 2) return value;
    return fmt::format("{} ±{:>2.0f}%", value, shown->spread_percent);
  };
}

template <typename Value>
std::function<std::string(const AlgorithmResult&)> latency(Value value_of) {
  return [=](const AlgorithmResult& result) -> std::string {
    const auto shown = figure(result.admitted, value_of);
    return shown ? format_count(static_cast<std::int64_t>(shown->median)) : kNothing;
  };
}

const AttackResult* find_attack(const AlgorithmResult& result, Attack attack) {
  for (const AttackResult& played : result.attacks)
    if (played.attack == attack) return &played;
  return nullptr;
}

std::string show_accuracy(const AlgorithmResult& result, Attack attack) {
  const AttackResult* played = find_attack(result, attack);
  if (played == nullptr) return kNothing;
  return format_accuracy(played->figures.accuracy_low, played->figures.accuracy_high);
}

std::string show_worst(const AlgorithmResult& result, Attack attack) {
  const AttackResult* played = find_attack(result, attack);
  if (played == nullptr) return kNothing;
  return fmt::format("{} = {:.2f} x", format_count(played->figures.peak),
                     played->figures.burst_factor);
}

std::string show_attempts(const AlgorithmResult& result, Attack attack) {
  const AttackResult* played = find_attack(result, attack);
  return played == nullptr ? kNothing : format_count(played->attempts);
}

void add_speed(std::vector<Metric>& metrics) {
  const auto rate = [](const SpeedRound& round) { return round.decisions_per_second; };
  const auto cpu = [](const SpeedRound& round) { return round.server_cpu_us_per_decision; };
  const auto percent = [](const SpeedRound& round) { return round.redis_cpu_percent; };
  metrics.push_back({"decisions/s", "admitted", with_spread(true, rate, 0)});
  metrics.push_back({"", "denied", with_spread(false, rate, 0)});
  metrics.push_back(
      {"latency, us", "mean", latency([](const SpeedRound& r) { return r.latency_us.mean; })});
  metrics.push_back({"", "p50", latency([](const SpeedRound& r) { return r.latency_us.p50; })});
  metrics.push_back({"", "p95", latency([](const SpeedRound& r) { return r.latency_us.p95; })});
  metrics.push_back({"", "p99", latency([](const SpeedRound& r) { return r.latency_us.p99; })});
  metrics.push_back({"", "p99.9", latency([](const SpeedRound& r) { return r.latency_us.p999; })});
  metrics.push_back({"server CPU, us each", "admitted", with_spread(true, cpu, 2)});
  metrics.push_back({"", "denied", with_spread(false, cpu, 2)});
  metrics.push_back({"Redis CPU, %", "admitted", with_spread(true, percent, 0)});
  metrics.push_back({"bytes per full key", "", [](const AlgorithmResult& result) {
                       return result.bytes_per_key > 0 ? format_count(result.bytes_per_key)
                                                       : std::string(kNothing);
                     }});
}

template <typename Show>
void add_attacks(std::vector<Metric>& metrics, const std::string& name, Show show) {
  for (const Attack attack : kAttacks)
    metrics.push_back({attack == kAttacks[0] ? name : "", name_of(attack),
                       [=](const AlgorithmResult& result) { return show(result, attack); }});
}

std::string show_own_contract(const AlgorithmResult& result) {
  if (!result.verdict) return kNothing;
  if (!result.verdict->own) return "none";
  return name_of(result.verdict->own->verdict);
}

std::string show_policy(const AlgorithmResult& result) {
  return result.verdict ? name_of(result.verdict->policy.verdict) : kNothing;
}

std::vector<Metric> all_metrics(const BenchResult& result) {
  std::vector<Metric> metrics;
  add_speed(metrics);
  add_attacks(metrics, "accuracy, %", show_accuracy);
  add_attacks(metrics, fmt::format("worst window of {}", format_count(result.policy.limit)),
              show_worst);
  add_attacks(metrics, "attempts", show_attempts);
  metrics.push_back({"its own contract", "", show_own_contract});
  metrics.push_back({fmt::format("{} per {}, any window", format_count(result.policy.limit),
                                 format_duration(result.policy.window_us)),
                     "", show_policy});
  return metrics;
}

// A table of the algorithms [first, first + count), one column each.
std::string table_of(const BenchResult& result, const std::vector<Metric>& metrics,
                     std::size_t first, std::size_t count) {
  std::vector<Column> columns{{"", Align::left}, {"", Align::left}};
  for (std::size_t i = first; i < first + count; ++i)
    columns.push_back({result.algorithms[i].name, Align::right});
  Table table(std::move(columns));
  for (const Metric& metric : metrics) {
    std::vector<std::string> row{metric.name, metric.part};
    for (std::size_t i = first; i < first + count; ++i)
      row.push_back(metric.show(result.algorithms[i]));
    // A metric that was not measured (--only) gets no line.
    if (std::any_of(row.begin() + 2, row.end(), [](const auto& cell) { return cell != kNothing; }))
      table.add_row(std::move(row));
  }
  return table.text();
}

std::size_t line_width(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    widest = std::max(widest, display_width(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

}  // namespace

std::string bench_table(const BenchResult& result, std::size_t width) {
  const auto metrics = all_metrics(result);
  std::string text;
  for (std::size_t first = 0; first < result.algorithms.size();) {
    std::size_t count = result.algorithms.size() - first;
    while (count > 1 && line_width(table_of(result, metrics, first, count)) > width) --count;
    text += (first > 0 ? "\n" : "") + table_of(result, metrics, first, count);
    first += count;
  }
  return text;
}

}  // namespace rlctl
