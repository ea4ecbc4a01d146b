// What each metric of an expectation is measured in and can be narrowed by. Pure.
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
  bool statistics;  // latency.p99: one must be chosen
  bool by_key;
  bool by_fault;
  bool judged;  // a figure of a policy's verdict: asked for once per policy
  bool wall;    // needs real time and a real network: not on the virtual clock
};

const MetricRule& rule_of(Metric metric);

// "peak", …, "latency.p99", …: everything an expectation can begin with.
std::vector<std::string> metric_names();

// "latency.p99", "over_admitted".
std::string metric_name(Metric metric, Statistic statistic);

// "a number, or a share such as 0.1%", for messages.
std::string values_of(const MetricRule& rule);

}  // namespace rlctl
