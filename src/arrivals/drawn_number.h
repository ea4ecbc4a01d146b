// A number, or numbers drawn between two bounds: how long work takes, what it costs. Pure; the same
// on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"
#include "base/words.h"

namespace rlctl {

// lognormal: bell-shaped in the logarithm, so that most are small and a few are large. The middle
// is the geometric mean of the bounds, which lie 3.5 standard deviations away.
enum class DrawnShape : std::uint8_t { uniform, lognormal };
inline constexpr Word<DrawnShape> kDrawnShapeWords[] = {{"uniform", DrawnShape::uniform},
                                                        {"lognormal", DrawnShape::lognormal}};
constexpr std::span<const Word<DrawnShape>> words_of(DrawnShape) { return kDrawnShapeWords; }

struct DrawnNumber {
  std::int64_t from = 0;
  std::int64_t to = 0;  // from <= to; lognormal: from >= 1
  DrawnShape shape = DrawnShape::uniform;

  bool is_one_number() const { return from == to; }
};

inline DrawnNumber always(std::int64_t number) { return {number, number}; }

std::int64_t draw(const DrawnNumber& spread, Random& random);

// For what is drawn for one request (Arrival::number) after its answer, so that neither the answers
// before it nor the machine that sends it have a part in it. Each purpose has its own stream.
Random random_of_request(std::uint64_t seed, std::uint64_t stream, std::uint32_t number);

}  // namespace rlctl
