#include "verdict/condition/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace rlctl {
namespace {

constexpr ChangeWords kSpeed = {"slower", "faster"};
constexpr ChangeWords kLevel = {"higher", "lower"};
constexpr ChangeWords kAmount = {"more", "fewer"};

constexpr MetricRow latency_row(Statistic statistic, const char* name, const char* field,
                                const char* label, unsigned shown = 0) {
  const bool dotted = statistic == Statistic::p999;
  return {.metric = Metric::latency,
          .statistic = statistic,
          .name = name,
          .field = field,
          .other_names = {dotted ? "p99.9" : nullptr, dotted ? "latency.p99.9" : nullptr},
          .unit = MetricUnit::microseconds,
          .better = Better::lower,
          .flags = kByKey | kOnWall | kByRound | shown,
          .label = label,
          .words = kSpeed};
}

constexpr MetricRow service_row(Statistic statistic, const char* name) {
  return {.metric = Metric::service,
          .statistic = statistic,
          .name = name,
          .other_names = {statistic == Statistic::p999 ? "service.p99.9" : nullptr},
          .unit = MetricUnit::microseconds,
          .better = Better::lower,
          .flags = kByKey | kOnWall};
}

constexpr MetricRow kMetrics[] = {
    {.metric = Metric::decisions_per_second,
     .field = "decisions_per_second",
     .other_names = {"decisions/s", "throughput"},
     .unit = MetricUnit::per_second,
     .better = Better::higher,
     .flags = kByRound | kShown,
     .label = "decisions/s",
     .words = kSpeed},
    latency_row(Statistic::mean, "latency.mean", "mean", "mean"),
    latency_row(Statistic::p50, "latency.p50", "p50", "p50", kShown),
    latency_row(Statistic::p90, "latency.p90", "p90", "p90"),
    latency_row(Statistic::p95, "latency.p95", "p95", "p95"),
    latency_row(Statistic::p99, "latency.p99", "p99", "p99", kShown),
    latency_row(Statistic::p999, "latency.p999", "p999", "p99.9"),
    latency_row(Statistic::max, "latency.max", "max", "max"),
    service_row(Statistic::mean, "service.mean"),
    service_row(Statistic::p50, "service.p50"),
    service_row(Statistic::p90, "service.p90"),
    service_row(Statistic::p95, "service.p95"),
    service_row(Statistic::p99, "service.p99"),
    service_row(Statistic::p999, "service.p999"),
    service_row(Statistic::max, "service.max"),
    {.metric = Metric::server_cpu,
     .field = "server_cpu_us_per_decision",
     .other_names = {"server_cpu_us", "server_cpu"},
     .unit = MetricUnit::microseconds,
     .better = Better::lower,
     .flags = kByRound | kShown,
     .label = "server CPU",
     .words = kLevel},
    {.metric = Metric::client_cpu,
     .field = "client_cpu_us_per_decision",
     .other_names = {"client_cpu_us", "client_cpu"},
     .unit = MetricUnit::microseconds,
     .better = Better::lower,
     .flags = kByRound,
     .label = "client CPU",
     .words = kLevel},
    {.metric = Metric::bytes_per_key,
     .field = "bytes_per_key",
     .other_names = {"bytes"},
     .unit = MetricUnit::bytes,
     .better = Better::lower,
     .flags = kShown,
     .label = "bytes per key",
     .words = {"larger", "smaller"}},
    {.metric = Metric::accuracy,
     .name = "accuracy",
     .field = "accuracy",
     .unit = MetricUnit::percent,
     .better = Better::higher,
     .flags = kJudged | kByKey | kShown,
     .label = "accuracy",
     .words = {"lower", "higher"}},
    {.metric = Metric::peak,
     .name = "peak",
     .field = "peak",
     .better = Better::lower,
     .flags = kJudged | kByKey | kShown,
     .label = "worst window",
     .words = kAmount},
    {.metric = Metric::burst_factor,
     .name = "burst_factor",
     .field = "burst_factor",
     .unit = MetricUnit::ratio,
     .better = Better::lower,
     .flags = kJudged | kByKey,
     .label = "burst factor",
     .words = {"more", "less"}},
    {.metric = Metric::overshoot,
     .name = "overshoot",
     .field = "overshoot",
     .unit = MetricUnit::ratio,
     .better = Better::lower,
     .flags = kJudged | kByKey,
     .label = "overshoot",
     .words = {"more", "less"}},
    {.metric = Metric::over_admitted,
     .name = "over_admitted",
     .field = "excess_certain",
     .better = Better::lower,
     .flags = kJudged | kAsShare | kByKey | kByFault | kShown,
     .label = "certain excess",
     .words = kAmount},
    {.metric = Metric::false_denied,
     .name = "false_denied",
     .field = "certain_false_denials",
     .better = Better::lower,
     .flags = kJudged | kAsShare | kByKey | kShown,
     .label = "false denials",
     .words = kAmount},
    {.metric = Metric::unanswered,
     .field = "unanswered",
     .better = Better::lower,
     .flags = kShown,
     .label = "unanswered",
     .words = kAmount},
    {.metric = Metric::slack,
     .name = "slack",
     .unit = MetricUnit::microseconds,
     .better = Better::lower,
     .flags = kJudged | kByKey},
    {.metric = Metric::offered, .name = "offered", .flags = kByKey},
    {.metric = Metric::allowed, .name = "allowed", .flags = kAsShare | kByKey | kByFault},
    {.metric = Metric::denied, .name = "denied", .flags = kAsShare | kByKey | kByFault},
    {.metric = Metric::unknown,
     .name = "unknown",
     .better = Better::lower,
     .flags = kAsShare | kByKey | kByFault},
    {.metric = Metric::failed,
     .name = "failed",
     .better = Better::lower,
     .flags = kAsShare | kByKey | kByFault},
    {.metric = Metric::late, .name = "late", .better = Better::lower, .flags = kAsShare | kByKey},
    {.metric = Metric::dropped,
     .name = "dropped",
     .better = Better::lower,
     .flags = kAsShare | kByKey},
    {.metric = Metric::completed, .name = "completed", .better = Better::higher, .flags = kAsShare},
    {.metric = Metric::retry_after_error,
     .name = "retry_after_error",
     .unit = MetricUnit::microseconds,
     .better = Better::lower,
     .flags = kByKey},
    {.metric = Metric::recovery,
     .name = "recovery",
     .unit = MetricUnit::microseconds,
     .better = Better::lower,
     .flags = kByFault | kOnWall},
    {.metric = Metric::right_again,
     .name = "right_again",
     .unit = MetricUnit::microseconds,
     .better = Better::lower,
     .flags = kByFault | kOnWall},
    {.metric = Metric::admits_again,
     .name = "admits_again",
     .unit = MetricUnit::microseconds,
     .better = Better::lower,
     .flags = kByFault | kOnWall},
};

const char* unit_in_words(const MetricRow& metric) {
  switch (metric.unit) {
    case MetricUnit::microseconds:
      return "a duration such as 20ms";
    case MetricUnit::percent:
      return "a share such as 99.9%";
    case MetricUnit::per_second:
      return "a rate such as 500/s";
    case MetricUnit::count:
    case MetricUnit::ratio:
    case MetricUnit::bytes:
      break;
  }
  return "a number";
}

}  // namespace

std::vector<const MetricRow*> metrics_in(AskedIn place) {
  std::vector<const MetricRow*> rows;
  for (const MetricRow& row : kMetrics)
    if (row.name_in(place) != nullptr) rows.push_back(&row);
  return rows;
}

std::vector<std::string> names_of(const MetricRow& metric) {
  std::vector<std::string> names;
  const auto add = [&](const char* name) {
    if (name != nullptr && std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  };
  add(metric.name);
  add(metric.field);
  for (const char* name : metric.other_names) add(name);
  return names;
}

const MetricRow* find_metric(std::string_view name, AskedIn place) {
  for (const MetricRow* row : metrics_in(place))
    if (const auto names = names_of(*row); std::ranges::find(names, name) != names.end())
      return row;
  return nullptr;
}

std::string values_of(const MetricRow& metric, AskedIn place) {
  std::string text = unit_in_words(metric);
  if (place == AskedIn::comparison) return text + ", or a change such as +10%";
  return metric.is(kAsShare) ? text + ", or a share such as 0.1%" : text;
}

std::string format_figure(const MetricRow& metric, double value) {
  const auto whole = [&] { return format_count(static_cast<std::int64_t>(std::llround(value))); };
  switch (metric.unit) {
    case MetricUnit::per_second:
      return whole() + "/s";
    case MetricUnit::microseconds:
      return value < 100 ? fmt::format("{:.2f} us", value) : whole() + " us";
    case MetricUnit::percent:
      return value >= 100 ? "100 %" : fmt::format("{:.6g} %", std::min(value, 99.9999));
    case MetricUnit::bytes:
      return whole() + " bytes";
    case MetricUnit::ratio:
      return fmt::format("{:.2f} x", value);
    case MetricUnit::count:
      break;
  }
  return whole();
}

}  // namespace rlctl
