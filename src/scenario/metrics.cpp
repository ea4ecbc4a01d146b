#include "scenario/metrics.h"

#include "base/words.h"

namespace rlctl {

std::string metric_name(Metric metric, Statistic statistic) {
  std::string name = name_of(metric);
  if (statistic != Statistic::none) name += std::string(".") + name_of(statistic);
  return name;
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const MetricRow& row : kMetricRows) {
    if (!row.statistics) {
      names.emplace_back(row.name);
      continue;
    }
    for (const Word<Statistic>& statistic : words_of(Statistic{}))
      names.push_back(metric_name(row.meaning, statistic.meaning));
  }
  return names;
}

std::string values_of(const MetricRow& row) {
  if (row.duration) return "a duration such as 20ms";
  if (row.number && row.percent) return "a number, or a share such as 0.1%";
  return row.percent ? "a share such as 99.9%" : "a number";
}

}  // namespace rlctl
