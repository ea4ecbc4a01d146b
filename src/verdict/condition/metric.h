// The metrics that a condition can ask for, one row each: in `expect` of a scenario, in --fail-if
// of a comparison, or in both. Parsers, hints, compare's table and its JSON read the rows. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/stats.h"

namespace rlctl {

enum class Metric : std::uint8_t {
  decisions_per_second,
  latency,  // from the planned send time
  service,  // from the actual send time
  server_cpu,
  client_cpu,
  bytes_per_key,
  offered,
  allowed,
  denied,
  unknown,
  failed,
  late,
  dropped,
  completed,
  accuracy,
  peak,
  burst_factor,
  overshoot,
  over_admitted,
  false_denied,
  unanswered,
  slack,
  retry_after_error,
  recovery,
  right_again,
  admits_again,
};

enum class MetricUnit : std::uint8_t { count, ratio, percent, per_second, microseconds, bytes };

enum class Better : std::uint8_t { neither, higher, lower };

// Where a condition stands: `expect` of a scenario, --fail-if of `compare` and `bench --baseline`.
enum class AskedIn : std::uint8_t { scenario, comparison };

enum MetricFlag : std::uint8_t {
  // In scenarios.
  kAsShare = 1,  // a count that can also be asked as a share of the requests: 0.1%
  kByKey = 2,    // can be measured by key
  kByFault = 4,  // can be measured by fault
  kJudged = 8,   // a figure of the verdict: exists once per policy
  kOnWall = 16,  // needs real time and a network: not on the virtual clock
  // In comparisons.
  kByRound = 32,  // measured in every round: its differences are tested
  kShown = 64,    // in the table without --all
};

// Words for a change for the worse and for the better.
struct ChangeWords {
  const char* worse = "";
  const char* better = "";
};

struct MetricRow {
  Metric metric = Metric::peak;
  Statistic statistic = Statistic::none;  // of latency and service
  const char* name = nullptr;             // in scenarios; null: not measured there
  const char* field = nullptr;  // in comparisons, and in the JSON of results; null: not compared
  std::array<const char*, 2> other_names = {};
  MetricUnit unit = MetricUnit::count;
  Better better = Better::neither;
  unsigned flags = 0;
  const char* label = "";  // in compare's table
  ChangeWords words = {};

  bool is(MetricFlag flag) const { return (flags & flag) != 0; }
  // Without faults there is no such figure.
  bool is_only_of_faults() const { return is(kByFault) && !is(kByKey); }
  const char* name_in(AskedIn place) const { return place == AskedIn::scenario ? name : field; }
};

// In the order of compare's table.
std::vector<const MetricRow*> metrics_in(AskedIn place);

// Every name that a condition may use for it: "latency.p99", "p99".
std::vector<std::string> names_of(const MetricRow& metric);

// Null: there is no such metric in that place.
const MetricRow* find_metric(std::string_view name, AskedIn place);

// "a number, or a share such as 0.1%", for messages.
std::string values_of(const MetricRow& metric, AskedIn place);

// A figure with its unit, for people: "52,310/s", "1,180 us", "99.98 %", "1,192 bytes".
std::string format_figure(const MetricRow& metric, double value);

}  // namespace rlctl
