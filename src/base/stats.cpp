#include "base/stats.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/units.h"

namespace rlctl {
namespace {

// ceil(n * parts / 10^6) without n * parts, which would overflow for large n.
std::int64_t nearest_rank(std::int64_t n, std::int64_t parts) {
  const std::int64_t rest = n % kMillion * parts;
  return n / kMillion * parts + (rest + kMillion - 1) / kMillion;
}

}  // namespace

std::int64_t percentile(std::span<const std::int64_t> sorted, std::int64_t parts_per_million) {
  if (sorted.empty()) return 0;
  const auto n = static_cast<std::int64_t>(sorted.size());
  const std::int64_t parts = std::clamp<std::int64_t>(parts_per_million, 0, kMillion);
  const std::int64_t rank = std::clamp<std::int64_t>(nearest_rank(n, parts), 1, n);
  return sorted[static_cast<std::size_t>(rank - 1)];
}

double mean(std::span<const std::int64_t> samples) {
  if (samples.empty()) return 0;
  long double sum = 0;
  for (const std::int64_t sample : samples) sum += static_cast<long double>(sample);
  return static_cast<double>(sum / static_cast<long double>(samples.size()));
}

LatencySummary summarize(std::vector<std::int64_t> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  return {.count = static_cast<std::int64_t>(samples.size()),
          .mean = mean(samples),
          .p50 = percentile(samples, 500'000),
          .p90 = percentile(samples, 900'000),
          .p95 = percentile(samples, 950'000),
          .p99 = percentile(samples, 990'000),
          .p999 = percentile(samples, 999'000),
          .max = samples.back()};
}

double figure_of(const LatencySummary& summary, Statistic statistic) {
  const double figures[] = {0,
                            summary.mean,
                            static_cast<double>(summary.p50),
                            static_cast<double>(summary.p90),
                            static_cast<double>(summary.p95),
                            static_cast<double>(summary.p99),
                            static_cast<double>(summary.p999),
                            static_cast<double>(summary.max)};
  return figures[static_cast<std::size_t>(statistic)];
}

double median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  const double below = *std::max_element(samples.begin(), middle);
  return below + (*middle - below) / 2;
}

double median_absolute_deviation(std::vector<double> samples) {
  const double center = median(samples);
  for (double& sample : samples) sample = std::abs(sample - center);
  return median(std::move(samples));
}

Spread spread(std::span<const double> samples) {
  if (samples.empty()) return {};
  const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
  return {*low, *high};
}

}  // namespace rlctl
