// Durations, counts and rates as people write them, turned into integers and back.
// Fails with Error(Exit::usage) that names the field and shows what would be right.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace rlctl {

// A time that is not known.
inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

// 100 years: longer is taken for a slip, and now + duration cannot overflow.
inline constexpr std::int64_t kLongestDurationUs = std::int64_t{36'500} * 86'400 * 1'000'000;

// "60s", "1h30m", "500ms", "250us": units d h m s ms us, whole or decimal ("1.5s"), each at most
// once and in falling order. A bare number, a sign, anything longer than 100 years and anything
// finer than 1 µs are errors. 0 is "0s".
std::int64_t parse_duration_us(std::string_view text, std::string_view field);

// As above, and 0 is an error too: windows, time-outs.
std::int64_t parse_positive_duration_us(std::string_view text, std::string_view field);

// The text that parses back to the same value: 90000000 -> "1m30s", 1500 -> "1.5ms".
std::string format_duration(std::int64_t us);

// For people, rounded to three digits or two units: 42.1 s, 1.20 ms, 12 µs, 1 h 30 m.
std::string format_duration_for_people(std::int64_t us);

// What is left, in whole seconds, which do not flicker, rounded up: "42s", "1m 05s", "3h 10m".
std::string format_countdown(std::int64_t us);

// A whole number >= min; overflow, signs, blanks and fractions are errors.
std::int64_t parse_count(std::string_view text, std::string_view field, std::int64_t min = 1);

// "30/1m" -> {30, 60000000}; "30/m" is the same.
struct Rate {
  std::int64_t count = 0;
  std::int64_t per_us = 1;
};
Rate parse_rate(std::string_view text, std::string_view field, std::int64_t least = 1);

// 1234567 -> "1,234,567".
std::string format_count(std::int64_t n);

// Percent, with enough digits that only 100 is shown as 100: "99.98".
std::string format_percent(double percent);

// One figure if low and high are equal, else "low to high".
std::string format_accuracy(double low, double high);

// 1160 -> "1.13 KiB".
std::string format_bytes(std::int64_t bytes);

}  // namespace rlctl
