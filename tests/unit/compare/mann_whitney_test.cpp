// Rank tests compared with brute force that counts every order.
#include "compare/mann_whitney.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

using namespace rlctl;

namespace {

double pairs_above(const std::vector<double>& first, const std::vector<double>& second) {
  double u = 0;
  for (const double a : first)
    for (const double b : second) u += b > a ? 1 : b == a ? 0.5 : 0;
  return u;
}

// P(U >= u) over every way to choose which of the pooled samples are `second`.
double p_by_brute_force(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> all = first;
  all.insert(all.end(), second.begin(), second.end());
  const double seen = pairs_above(first, second);
  int as_high = 0;
  int ways = 0;
  for (unsigned chosen = 0; chosen < 1U << all.size(); ++chosen) {
    std::vector<double> one;
    std::vector<double> other;
    for (std::size_t i = 0; i < all.size(); ++i) (chosen >> i & 1U ? other : one).push_back(all[i]);
    if (other.size() != second.size()) continue;
    ++ways;
    if (pairs_above(one, other) >= seen) ++as_high;
  }
  return static_cast<double>(as_high) / ways;
}

std::vector<double> random_samples(std::mt19937_64& random, std::size_t most, unsigned values) {
  std::vector<double> samples(random() % most + 1);
  for (double& sample : samples) sample = 1 + static_cast<double>(random() % values);
  return samples;
}

}  // namespace

TEST_CASE("rank test: nine rounds all above nine others are one of 48,620 orders") {
  std::vector<double> low(9);
  std::vector<double> high(9);
  std::iota(low.begin(), low.end(), 1.0);
  std::iota(high.begin(), high.end(), 10.0);
  const RankTest test = mann_whitney(low, high);
  CHECK(test.exact);
  CHECK(test.u == 81);
  CHECK(test.p_greater == doctest::Approx(1.0 / 48'620));
  CHECK(test.p_less == doctest::Approx(1));
  CHECK(test.p_either == doctest::Approx(2.0 / 48'620));
}

TEST_CASE("rank test: p equals the count over every order, with ties too") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 300; ++round) {
    const auto first = random_samples(random, 5, round % 2 == 0 ? 4 : 1'000'000);
    const auto second = random_samples(random, 5, round % 2 == 0 ? 4 : 1'000'000);
    const RankTest test = mann_whitney(first, second);
    REQUIRE(test.u == pairs_above(first, second));
    REQUIRE(test.p_greater == doctest::Approx(p_by_brute_force(first, second)));
    REQUIRE(test.p_less == doctest::Approx(p_by_brute_force(second, first)));
  }
}

TEST_CASE("rank test: equal or empty samples are not evidence") {
  const std::vector<double> same(9, 5.0);
  CHECK(mann_whitney(same, same).p_either == 1);
  CHECK(mann_whitney({}, same).p_either == 1);
  const std::vector<double> many(60, 5.0);
  CHECK(mann_whitney(many, many).p_either == 1);
}

TEST_CASE("rank test: above 60 samples the normal approximation is close") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 20; ++round) {
    std::vector<double> first(30);
    std::vector<double> second(30);
    for (double& sample : first) sample = static_cast<double>(random() % 50);
    for (double& sample : second) sample = static_cast<double>(random() % 50 + round);
    const RankTest exact = mann_whitney(first, second);
    CHECK(exact.exact);
    second.push_back(25);
    const RankTest nearly = mann_whitney(first, second);
    CHECK_FALSE(nearly.exact);
    CHECK(std::abs(nearly.p_greater - exact.p_greater) < 0.05);
  }
}

TEST_CASE("ratio: the median of all quotients, with the interval that the test accepts") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> base(9);
    std::vector<double> fresh(9);
    for (double& value : base) value = 100 + static_cast<double>(random() % 1'000'000) / 1e5;
    for (double& value : fresh) value = 120 + static_cast<double>(random() % 1'000'000) / 1e5;
    const RatioEstimate ratio = estimate_ratio(base, fresh, 0.95);
    REQUIRE(ratio.low <= ratio.ratio);
    REQUIRE(ratio.ratio <= ratio.high);
    const auto p_of = [&](double claimed) {
      std::vector<double> claimed_base = base;
      for (double& value : claimed_base) value *= claimed;
      return mann_whitney(claimed_base, fresh).p_either;
    };
    REQUIRE(p_of(ratio.low * (1 + 1e-9)) >= 0.05);
    REQUIRE(p_of(ratio.high * (1 - 1e-9)) >= 0.05);
    REQUIRE(p_of(ratio.low * (1 - 1e-9)) < 0.05);
    REQUIRE(p_of(ratio.high * (1 + 1e-9)) < 0.05);
  }
}

TEST_CASE("ratio: with few rounds the interval covers all quotients") {
  const RatioEstimate ratio = estimate_ratio(std::vector{100.0}, std::vector{120.0}, 0.95);
  CHECK(ratio.ratio == doctest::Approx(1.2));
  CHECK(ratio.low == doctest::Approx(1.2));
  CHECK(ratio.high == doctest::Approx(1.2));
  const RatioEstimate two = estimate_ratio(std::vector{1.0, 2.0}, std::vector{2.0, 4.0}, 0.95);
  CHECK(two.low == 1);
  CHECK(two.high == 4);
}

TEST_CASE("Holm: the smallest p counts for the whole family, and the order is kept") {
  const std::vector<double> p{0.01, 0.04, 0.03, 0.005};
  const auto adjusted = holm_adjusted(p);
  CHECK(adjusted[3] == doctest::Approx(0.02));
  CHECK(adjusted[0] == doctest::Approx(0.03));
  CHECK(adjusted[2] == doctest::Approx(0.06));
  CHECK(adjusted[1] == doctest::Approx(0.06));
  CHECK(holm_adjusted({}).empty());
  CHECK(holm_adjusted(std::vector{0.7, 0.9}) == std::vector{1.0, 1.0});
}
