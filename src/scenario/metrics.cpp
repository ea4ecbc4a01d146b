#include "scenario/metrics.h"

#include "base/words.h"

namespace rlctl {
namespace {

// In the order of Metric.
constexpr MetricRule kRules[] = {
    //                           number %      time   stat.  key    fault  judged wall
    {Metric::offered, "offered", true, false, false, false, true, false, false, false},
    {Metric::allowed, "allowed", true, true, false, false, true, false, false, false},
    {Metric::denied, "denied", true, true, false, false, true, false, false, false},
    {Metric::unknown, "unknown", true, true, false, false, true, false, false, false},
    {Metric::failed, "failed", true, true, false, false, true, false, false, false},
    {Metric::late, "late", true, true, false, false, true, false, false, false},
    {Metric::dropped, "dropped", true, true, false, false, true, false, false, false},
    {Metric::peak, "peak", true, false, false, false, true, false, true, false},
    {Metric::burst_factor, "burst_factor", true, false, false, false, true, false, true, false},
    {Metric::over_admitted, "over_admitted", true, true, false, false, true, false, true, false},
    {Metric::false_denied, "false_denied", true, true, false, false, true, false, true, false},
    {Metric::accuracy, "accuracy", false, true, false, false, true, false, true, false},
    {Metric::slack, "slack", false, false, true, false, true, false, true, false},
    {Metric::completed, "completed", true, true, false, false, false, false, false, false},
    {Metric::retry_after_error, "retry_after_error", false, false, true, false, true, false, false,
     false},
    {Metric::recovery, "recovery", false, false, true, false, false, true, false, true},
    {Metric::latency, "latency", false, false, true, true, true, false, false, true},
    {Metric::service, "service", false, false, true, true, true, false, false, true},
};

}  // namespace

const MetricRule& rule_of(Metric metric) { return kRules[static_cast<std::size_t>(metric)]; }

std::string metric_name(Metric metric, Statistic statistic) {
  std::string name = name_of(metric);
  if (statistic != Statistic::none) name += std::string(".") + name_of(statistic);
  return name;
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const MetricRule& rule : kRules) {
    if (!rule.statistics) {
      names.emplace_back(rule.name);
      continue;
    }
    for (const Word<Statistic>& statistic : words_of(Statistic{}))
      names.push_back(metric_name(rule.metric, statistic.meaning));
  }
  return names;
}

std::string values_of(const MetricRule& rule) {
  if (rule.duration) return "a duration such as 20ms";
  if (rule.number && rule.percent) return "a number, or a share such as 0.1%";
  return rule.percent ? "a share such as 99.9%" : "a number";
}

}  // namespace rlctl
