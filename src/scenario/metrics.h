// The metrics of an expectation: one row each, with the units and the filters that it accepts.
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/words.h"

namespace rlctl {

enum class Metric : std::uint8_t {
  offered,
  allowed,
  denied,
  unknown,
  failed,
  late,
  dropped,
  peak,
  burst_factor,
  over_admitted,
  false_denied,
  accuracy,
  slack,
  completed,
  retry_after_error,
  recovery,
  latency,  // from the planned send time
  service,  // from the actual send time
};
struct MetricRow {
  const char* name;
  Metric meaning;
  bool number;      // "peak <= 20"
  bool percent;     // "false_denied <= 0.1%"
  bool duration;    // "latency.p99 < 20ms"
  bool statistics;  // needs a statistic: latency.p99
  bool by_key;
  bool by_fault;
  bool judged;  // a figure of the verdict: exists once per policy
  bool wall;    // needs real time and a network: not on the virtual clock
};
inline constexpr MetricRow kMetricRows[] = {
    //                           number %      time   stat.  key    fault  judged wall
    {"offered", Metric::offered, true, false, false, false, true, false, false, false},
    {"allowed", Metric::allowed, true, true, false, false, true, false, false, false},
    {"denied", Metric::denied, true, true, false, false, true, false, false, false},
    {"unknown", Metric::unknown, true, true, false, false, true, false, false, false},
    {"failed", Metric::failed, true, true, false, false, true, false, false, false},
    {"late", Metric::late, true, true, false, false, true, false, false, false},
    {"dropped", Metric::dropped, true, true, false, false, true, false, false, false},
    {"peak", Metric::peak, true, false, false, false, true, false, true, false},
    {"burst_factor", Metric::burst_factor, true, false, false, false, true, false, true, false},
    {"over_admitted", Metric::over_admitted, true, true, false, false, true, false, true, false},
    {"false_denied", Metric::false_denied, true, true, false, false, true, false, true, false},
    {"accuracy", Metric::accuracy, false, true, false, false, true, false, true, false},
    {"slack", Metric::slack, false, false, true, false, true, false, true, false},
    {"completed", Metric::completed, true, true, false, false, false, false, false, false},
    {"retry_after_error", Metric::retry_after_error, false, false, true, false, true, false, false,
     false},
    {"recovery", Metric::recovery, false, false, true, false, false, true, false, true},
    {"latency", Metric::latency, false, false, true, true, true, false, false, true},
    {"service", Metric::service, false, false, true, true, true, false, false, true},
};
constexpr std::span<const MetricRow> words_of(Metric) { return kMetricRows; }

// The statistic of a distribution.
enum class Statistic : std::uint8_t { none, mean, p50, p95, p99, p999, max };
inline constexpr Word<Statistic> kStatisticWords[] = {
    {"mean", Statistic::mean}, {"p50", Statistic::p50},   {"p95", Statistic::p95},
    {"p99", Statistic::p99},   {"p999", Statistic::p999}, {"max", Statistic::max}};
constexpr std::span<const Word<Statistic>> words_of(Statistic) { return kStatisticWords; }

// "peak", …, "latency.p99", …: all words that an expectation can begin with.
std::vector<std::string> metric_names();

// "latency.p99", "over_admitted".
std::string metric_name(Metric metric, Statistic statistic);

// "a number, or a share such as 0.1%", for messages.
std::string values_of(const MetricRow& row);

}  // namespace rlctl
