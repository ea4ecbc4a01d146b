// Random numbers that are the same on every machine and with every compiler: xoshiro256** (Blackman
// and Vigna, "Scrambled linear pseudorandom number generators", 2021), seeded by splitmix64, and
// distributions in integers. std:: distributions and libm differ between libraries. Pure.
#pragma once

#include <array>
#include <cstdint>

namespace rlctl {

class Random {
 public:
  // Different streams of one seed are independent. Use a separate stream for each purpose.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next();

  // 0 to n - 1, all equally likely; n > 0 (Lemire, "Fast random integer generation in an interval",
  // 2019).
  std::uint64_t below(std::uint64_t n);

  // Exponentially distributed with this mean: the gaps of a Poisson process. 0 <= mean <= 2^53;
  // the result is rounded down.
  std::int64_t exponential(std::int64_t mean);

 private:
  std::array<std::uint64_t, 4> state_{};
};

// In units of 2^-48, by squaring, without floating point: log2(x) for x > 0, and 2^-y for y >= 0.
std::uint64_t log2_fixed(std::uint64_t x);
std::uint64_t exp2_minus_fixed(std::uint64_t y);

}  // namespace rlctl
