// Order statistics of integer samples (µs, decisions, bytes). Pure. An empty sample is not an
// error: each function documents the result. Functions that reorder the samples take them by value:
// move them in if you no longer need them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rlctl {

struct LatencySummary {
  std::int64_t count = 0;
  double mean = 0;
  std::int64_t p50 = 0;
  std::int64_t p90 = 0;
  std::int64_t p95 = 0;
  std::int64_t p99 = 0;
  std::int64_t p999 = 0;
  std::int64_t max = 0;
};

// In the order of LatencySummary.
enum class Statistic : std::uint8_t { none, mean, p50, p90, p95, p99, p999, max };

// 0 for `none`.
double figure_of(const LatencySummary& summary, Statistic statistic);

// Nearest-rank percentiles, O(n log n). All zero without samples.
LatencySummary summarize(std::vector<std::int64_t> samples);

// Nearest rank: the smallest sample x such that at least parts_per_million of all samples are <= x
// (500'000 is the median, 999'000 is p99.9; an integer, because 0.999 * n has no exact double).
// Clamped to the smallest and the largest sample; 0 without samples.
std::int64_t percentile(std::span<const std::int64_t> sorted, std::int64_t parts_per_million);

// The sum does not overflow. 0 without samples.
double mean(std::span<const std::int64_t> samples);

// The middle sample; for an even number, the mean of the middle two. O(n). 0 without samples.
double median(std::vector<double> samples);

// The median distance from the median: one bad round does not change it. O(n). 0 without samples.
double median_absolute_deviation(std::vector<double> samples);

// The lowest and the highest sample. {0, 0} without samples.
struct Spread {
  double min = 0;
  double max = 0;
};
Spread spread(std::span<const double> samples);

}  // namespace rlctl
