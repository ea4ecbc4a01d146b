// Applies the comparison of an expectation or a --fail-if to numbers of any type. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "base/words.h"

namespace rlctl {

enum class Comparison : std::uint8_t { less, at_most, more, at_least, equal, not_equal };
inline constexpr Word<Comparison> kComparisonWords[] = {
    {"<", Comparison::less},      {"<=", Comparison::at_most}, {">", Comparison::more},
    {">=", Comparison::at_least}, {"==", Comparison::equal},   {"!=", Comparison::not_equal}};
constexpr std::span<const Word<Comparison>> words_of(Comparison) { return kComparisonWords; }

// How a compared value was written: 20, 0.1%, 20ms.
enum class ValueUnit : std::uint8_t { number, percent, duration };

template <typename Number>
bool compares(Number measured, Comparison comparison, Number wanted) {
  switch (comparison) {
    case Comparison::less:
      return measured < wanted;
    case Comparison::at_most:
      return measured <= wanted;
    case Comparison::more:
      return measured > wanted;
    case Comparison::at_least:
      return measured >= wanted;
    case Comparison::equal:
      return measured == wanted;
    case Comparison::not_equal:
      break;
  }
  return measured != wanted;
}

}  // namespace rlctl
