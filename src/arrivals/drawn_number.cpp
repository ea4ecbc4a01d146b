#include "arrivals/drawn_number.h"

#include <algorithm>

#include "base/units.h"

namespace rlctl {
namespace {

constexpr unsigned kFractionBits = 48;

// The sum of four uniform numbers is nearly normal: its standard deviation is 1/7 of its range.
std::int64_t draw_lognormal(const DrawnNumber& spread, Random& random) {
  const auto from = static_cast<std::uint64_t>(std::max<std::int64_t>(spread.from, 1));
  const auto to = static_cast<std::uint64_t>(spread.to);
  std::uint64_t part = 0;  // 0 to 1, in units of 2^-48
  for (int i = 0; i < 4; ++i) part += random.below(std::uint64_t{1} << kFractionBits) / 4;
  const std::uint64_t octaves = log2_fixed(to) - log2_fixed(from);
  const auto down =
      static_cast<std::uint64_t>(static_cast<WideUnsigned>(octaves) * part >> kFractionBits);
  const auto drawn = static_cast<std::int64_t>(
      static_cast<WideUnsigned>(to) * exp2_minus_fixed(down) >> kFractionBits);
  return std::clamp(drawn, spread.from, spread.to);
}

}  // namespace

std::int64_t draw(const DrawnNumber& spread, Random& random) {
  if (spread.is_one_number()) return spread.from;
  if (spread.shape == DrawnShape::lognormal) return draw_lognormal(spread, random);
  return spread.from + static_cast<std::int64_t>(
                           random.below(static_cast<std::uint64_t>(spread.to - spread.from) + 1));
}

// Streams of a whole phase have small numbers: those of a request have higher ones.
Random random_of_request(std::uint64_t seed, std::uint64_t stream, std::uint32_t number) {
  return Random(seed, stream | (std::uint64_t{number} + 1) << 31U);
}

}  // namespace rlctl
