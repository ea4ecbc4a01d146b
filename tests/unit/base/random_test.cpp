#include "base/random.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <vector>

using namespace rlctl;

TEST_CASE("the same seed gives the same numbers on every machine") {
  // Recorded once: any other compiler, library or processor must give these.
  Random random(42);
  CHECK(random.next() == 1865750160070900731U);
  CHECK(random.next() == 6791145067590612263U);
  Random other(42, 1);
  CHECK(other.next() == 14049728980325739901U);
  Random gaps(42);
  CHECK(gaps.exponential(1'000'000) == 2291224);
}

TEST_CASE("seeds and streams are independent") {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    for (std::uint64_t stream = 0; stream < 50; ++stream) first.insert(Random(seed, stream).next());
  CHECK(first.size() == 2'500);
}

TEST_CASE("numbers below n are equally likely") {
  Random random(1);
  std::vector<int> counts(10);
  for (int i = 0; i < 100'000; ++i) ++counts[random.below(10)];
  for (const int count : counts) CHECK(std::abs(count - 10'000) < 500);
  for (int i = 0; i < 100; ++i) CHECK(random.below(1) == 0);
}

TEST_CASE("exponential gaps have their mean and their shape") {
  Random random(7);
  constexpr int kSamples = 100'000;
  double sum = 0;
  int above_mean = 0;
  for (int i = 0; i < kSamples; ++i) {
    const std::int64_t gap = random.exponential(1'000'000);
    REQUIRE(gap >= 0);
    sum += static_cast<double>(gap);
    above_mean += gap > 1'000'000;
  }
  CHECK(std::abs(sum / kSamples - 1e6) < 1.5e4);
  CHECK(std::abs(above_mean / double{kSamples} - std::exp(-1.0)) < 0.01);
  CHECK(random.exponential(0) == 0);
  CHECK(random.exponential(std::int64_t{1} << 53) > 0);
}

TEST_CASE("the logarithm and the power agree with the library's") {
  constexpr double kUnit = 281'474'976'710'656.0;  // 2^48
  for (const std::uint64_t x : {1ULL, 2ULL, 3ULL, 10ULL, 1'000'003ULL, ~0ULL, 1ULL << 63U}) {
    CAPTURE(x);
    CHECK(static_cast<double>(log2_fixed(x)) / kUnit ==
          doctest::Approx(std::log2(static_cast<double>(x))).epsilon(1e-12));
  }
  for (const double y : {0.0, 0.25, 0.5, 0.999, 1.0, 1.5, 7.3, 20.0}) {
    CAPTURE(y);
    CHECK(static_cast<double>(exp2_minus_fixed(static_cast<std::uint64_t>(y * kUnit))) / kUnit ==
          doctest::Approx(std::exp2(-y)).epsilon(1e-7));
  }
  CHECK(exp2_minus_fixed(~0ULL) == 0);
}
