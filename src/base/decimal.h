// Decimal numbers that must stay exact: 0.1 is 100,000 millionths, not the nearest double. Pure.
// Fails with Error(Exit::usage) that names the field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rlctl {

inline constexpr std::int64_t kMillion = 1'000'000;

// "0.1" -> 100000. Digits, at most six after the point; no sign, no exponent.
std::int64_t parse_millionths(std::string_view text, std::string_view field);

// "0.1%" -> 0.001; 0 % to 100 %.
double parse_share(std::string_view text, std::string_view field);

// 100000 -> "0.1", 2000000 -> "2".
std::string format_millionths(std::int64_t millionths);

}  // namespace rlctl
