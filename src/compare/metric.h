// The metrics that `compare` knows: the name, which direction is better, how it is shown. Pure; an
// unknown name throws Error(Exit::usage) with a suggestion.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rlctl {

enum class MetricUnit : std::uint8_t { per_second, microseconds, percent, bytes, count, ratio };

struct ComparedMetric {
  const char* name;   // in --fail-if and in the JSON
  const char* label;  // in the table
  MetricUnit unit;
  bool higher_is_better;
  bool by_round;      // measured in every round: its differences are tested
  bool shown;         // in the table without --all
  const char* worse;  // "slower", "more": the word for a change for the worse
  const char* better;
};

// In the order of the table.
std::span<const ComparedMetric> compared_metrics();

// Also finds a metric by its name in bench's table and JSON: "p99.9", "decisions/s",
// "server_cpu_us".
const ComparedMetric& find_compared_metric(std::string_view name, std::string_view field);

// Null: there is no such metric.
const ComparedMetric* compared_metric(std::string_view name);

// A figure with its unit, for people: "52,310/s", "1,180 us", "99.98 %", "1,192 bytes".
std::string format_figure(const ComparedMetric& metric, double value);

}  // namespace rlctl
