#include "compare/metric.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "base/units.h"

namespace rlctl {
namespace {

using Unit = MetricUnit;

constexpr ComparedMetric kMetrics[] = {
    //                                                                higher rounds shown
    {"decisions_per_second", "decisions/s", Unit::per_second, true, true, true, "slower", "faster"},
    {"mean", "mean", Unit::microseconds, false, true, false, "slower", "faster"},
    {"p50", "p50", Unit::microseconds, false, true, true, "slower", "faster"},
    {"p90", "p90", Unit::microseconds, false, true, false, "slower", "faster"},
    {"p95", "p95", Unit::microseconds, false, true, false, "slower", "faster"},
    {"p99", "p99", Unit::microseconds, false, true, true, "slower", "faster"},
    {"p999", "p99.9", Unit::microseconds, false, true, false, "slower", "faster"},
    {"max", "max", Unit::microseconds, false, true, false, "slower", "faster"},
    {"server_cpu_us_per_decision", "server CPU", Unit::microseconds, false, true, true, "higher",
     "lower"},
    {"client_cpu_us_per_decision", "client CPU", Unit::microseconds, false, true, false, "higher",
     "lower"},
    {"bytes_per_key", "bytes per key", Unit::bytes, false, false, true, "larger", "smaller"},
    {"accuracy", "accuracy", Unit::percent, true, false, true, "lower", "higher"},
    {"peak", "worst window", Unit::count, false, false, true, "more", "fewer"},
    {"burst_factor", "burst factor", Unit::ratio, false, false, false, "more", "less"},
    {"excess_certain", "certain excess", Unit::count, false, false, true, "more", "fewer"},
    {"certain_false_denials", "false denials", Unit::count, false, false, true, "more", "fewer"},
    {"unanswered", "unanswered", Unit::count, false, false, true, "more", "fewer"},
};

constexpr std::pair<const char*, const char*> kOtherNames[] = {
    {"p99.9", "p999"},
    {"decisions/s", "decisions_per_second"},
    {"throughput", "decisions_per_second"},
    {"server_cpu_us", "server_cpu_us_per_decision"},
    {"server_cpu", "server_cpu_us_per_decision"},
    {"client_cpu_us", "client_cpu_us_per_decision"},
    {"client_cpu", "client_cpu_us_per_decision"},
    {"bytes", "bytes_per_key"},
};

std::string listed() {
  std::string names;
  for (const ComparedMetric& metric : kMetrics)
    names += (names.empty() ? "" : ", ") + std::string(metric.name);
  return names;
}

}  // namespace

std::span<const ComparedMetric> compared_metrics() { return kMetrics; }

const ComparedMetric* compared_metric(std::string_view name) {
  for (const auto& [other, own] : kOtherNames)
    if (name == other) name = own;
  for (const ComparedMetric& metric : kMetrics)
    if (name == metric.name) return &metric;
  return nullptr;
}

const ComparedMetric& find_compared_metric(std::string_view name, std::string_view field) {
  if (const ComparedMetric* metric = compared_metric(name)) return *metric;
  std::vector<std::string> names;
  for (const ComparedMetric& metric : kMetrics) names.emplace_back(metric.name);
  for (const auto& [other, own] : kOtherNames) names.emplace_back(other);
  const std::string hint = did_you_mean(name, names);
  throw Error(Exit::usage, fmt::format("{}: there is no metric {}", field, in_quotes(name)),
              hint.empty() ? "the metrics are " + listed() : hint);
}

std::string format_figure(const ComparedMetric& metric, double value) {
  const auto whole = [&] { return format_count(static_cast<std::int64_t>(std::llround(value))); };
  switch (metric.unit) {
    case Unit::per_second:
      return whole() + "/s";
    case Unit::microseconds:
      return value < 100 ? fmt::format("{:.2f} us", value) : whole() + " us";
    case Unit::percent:
      return value >= 100 ? "100 %" : fmt::format("{:.6g} %", std::min(value, 99.9999));
    case Unit::bytes:
      return whole() + " bytes";
    case Unit::ratio:
      return fmt::format("{:.2f} x", value);
    case Unit::count:
      break;
  }
  return whole();
}

}  // namespace rlctl
