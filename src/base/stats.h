// Order statistics of integer samples (µs, decisions, bytes). Pure. No samples is not an error:
// each function says what it gives then. Samples are taken by value where they must be reordered:
// move them in when they are no longer needed.
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

// Nearest-rank percentiles, O(n log n). All zero without samples.
LatencySummary summarize(std::vector<std::int64_t> samples);

// Nearest rank: the smallest sample that at least `parts` in a million of all are not above
// (500'000 is the median, 999'000 p99.9; integers, since 0.999 * n has no exact double).
// Clamped to the smallest and the largest sample; 0 without samples.
std::int64_t percentile(std::span<const std::int64_t> sorted, std::int64_t parts_per_million);

// The sum does not overflow. 0 without samples.
double mean(std::span<const std::int64_t> samples);

// The middle one, of an even number the mean of the middle two. O(n). 0 without samples.
double median(std::vector<double> samples);

// The median distance from the median: a spread that one bad round does not move. O(n). 0 without.
double median_absolute_deviation(std::vector<double> samples);

// The lowest and highest of the rounds. {0, 0} without samples.
struct Spread {
  double min = 0;
  double max = 0;
};
Spread spread(std::span<const double> samples);

}  // namespace rlctl
