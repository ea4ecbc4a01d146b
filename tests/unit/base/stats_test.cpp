#include "base/stats.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

using namespace rlctl;

TEST_CASE("percentiles are samples at the nearest rank") {
  const std::vector<std::int64_t> sorted = {15, 20, 35, 40, 50};
  CHECK(percentile(sorted, 0) == 15);
  CHECK(percentile(sorted, 50'000) == 15);
  CHECK(percentile(sorted, 300'000) == 20);
  CHECK(percentile(sorted, 400'000) == 20);
  CHECK(percentile(sorted, 400'001) == 35);
  CHECK(percentile(sorted, 500'000) == 35);
  CHECK(percentile(sorted, 1'000'000) == 50);
  CHECK(percentile(sorted, 2'000'000) == 50);
}

TEST_CASE("a percentile is the smallest sample with enough samples up to it") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::int64_t> samples(random() % 200 + 1);
    for (auto& sample : samples) sample = static_cast<std::int64_t>(random() % 50);
    std::sort(samples.begin(), samples.end());
    const auto parts = static_cast<std::int64_t>(random() % 1'000'001);
    const std::int64_t found = percentile(samples, parts);
    const auto up_to = [&](std::int64_t value) {
      return std::upper_bound(samples.begin(), samples.end(), value) - samples.begin();
    };
    const std::int64_t needed = parts * static_cast<std::int64_t>(samples.size());
    REQUIRE(up_to(found) * 1'000'000 >= needed);
    REQUIRE((found == samples.front() || up_to(found - 1) * 1'000'000 < needed));
  }
}

TEST_CASE("a summary has the tail of the latencies, in any order of samples") {
  std::vector<std::int64_t> samples(10'000);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::int64_t>(i + 1);
  std::shuffle(samples.begin(), samples.end(), std::mt19937(1));
  const LatencySummary summary = summarize(samples);
  CHECK(summary.count == 10'000);
  CHECK(summary.mean == doctest::Approx(5000.5));
  CHECK(summary.p50 == 5'000);
  CHECK(summary.p90 == 9'000);
  CHECK(summary.p95 == 9'500);
  CHECK(summary.p99 == 9'900);
  CHECK(summary.p999 == 9'990);
  CHECK(summary.max == 10'000);
}

TEST_CASE("one sample is every percentile") {
  const LatencySummary summary = summarize({7});
  CHECK(summary.p50 == 7);
  CHECK(summary.p999 == 7);
  CHECK(summary.max == 7);
  CHECK(summary.mean == 7);
}

TEST_CASE("without samples every figure is 0") {
  const LatencySummary summary = summarize({});
  CHECK(summary.count == 0);
  CHECK(summary.mean == 0);
  CHECK(summary.p50 == 0);
  CHECK(summary.max == 0);
  CHECK(percentile({}, 500'000) == 0);
  CHECK(mean({}) == 0);
  CHECK(median({}) == 0);
  CHECK(median_absolute_deviation({}) == 0);
  CHECK(spread({}).min == 0);
  CHECK(spread({}).max == 0);
}

TEST_CASE("the mean of large samples does not overflow") {
  const std::int64_t large = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> samples = {large, large, large};
  CHECK(mean(samples) == doctest::Approx(static_cast<double>(large)));
}

TEST_CASE("the median of an even number is between the middle two") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(median({5}) == 5);
  CHECK(median({1, 1000, 2, 3}) == 2.5);
}

TEST_CASE("one bad round changes the spread, not the deviation") {
  const std::vector<double> rounds = {100, 101, 99, 102, 5000};
  CHECK(median_absolute_deviation(rounds) == 1);
  CHECK(spread(rounds).min == 99);
  CHECK(spread(rounds).max == 5000);
}
