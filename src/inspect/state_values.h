// Whether the content of a key is of a given form (limiter/manifest.h: State), and its numbers by
// name. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/key_state.h"

namespace rlctl {

using Numbers = std::vector<double>;

// What expressions are given: empty if it is not known.
inline std::optional<double> if_known(std::int64_t value, bool known) {
  return known ? std::optional(static_cast<double>(value)) : std::nullopt;
}

// The numbers in a value, in order: `1763683982123456+2/7` holds three. Empty when it holds
// anything but numbers and signs between them.
Numbers numbers_in(std::string_view value);

// `numbers`: of a string, those in its value; there may be fewer than names.
bool fits(const State& state, const KeyState& key, const Numbers& numbers);

// The value of the n-th name of a string or a hash; empty if the key lacks it.
std::optional<double> value_of(const State& state, std::size_t index, const KeyState& key,
                               const Numbers& numbers);

}  // namespace rlctl
