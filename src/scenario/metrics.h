// The units of each metric of an expectation, and the filters that it accepts. Pure.
#pragma once

#include <string>
#include <vector>

#include "scenario/scenario.h"

namespace rlctl {

struct MetricRule {
  Metric metric;
  const char* name;
  bool number;      // "peak <= 20"
  bool percent;     // "false_denied <= 0.1%"
  bool duration;    // "latency.p99 < 20ms"
  bool statistics;  // needs a statistic: latency.p99
  bool by_key;
  bool by_fault;
  bool judged;  // a figure of the verdict: exists once per policy
  bool wall;    // needs real time and a network: not on the virtual clock
};

const MetricRule& rule_of(Metric metric);

// "peak", …, "latency.p99", …: all words that an expectation can begin with.
std::vector<std::string> metric_names();

// "latency.p99", "over_admitted".
std::string metric_name(Metric metric, Statistic statistic);

// "a number, or a share such as 0.1%", for messages.
std::string values_of(const MetricRule& rule);

}  // namespace rlctl
