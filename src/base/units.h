// Durations, counts and rates as people write them, converted to integers and back. Pure. Throws
// Error(Exit::usage) that names the field and shows a valid value.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace rlctl {

// A time that is not known.
inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

inline constexpr std::int64_t kMillion = 1'000'000;
inline constexpr std::int64_t kSecondUs = kMillion;
inline constexpr std::int64_t kMinuteUs = 60 * kSecondUs;
inline constexpr std::int64_t kHourUs = 60 * kMinuteUs;
inline constexpr std::int64_t kDayUs = 24 * kHourUs;

// 128 bits, for exact products of times, limits and windows.
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 WideUnsigned;

// 100 years. A longer duration is treated as a typing error, and now + duration cannot overflow.
inline constexpr std::int64_t kLongestDurationUs = 36'500 * kDayUs;

// Of a time that Redis keeps in ms: as far away as it can be, now + it does not overflow.
constexpr std::int64_t us_of_ms(std::int64_t ms) {
  constexpr std::int64_t kMostMs = std::numeric_limits<std::int64_t>::max() / 2'000;
  return std::clamp(ms, -kMostMs, kMostMs) * 1'000;
}

// "60s", "1h30m", "500ms", "250us": units d h m s ms us, whole or decimal ("1.5s"), each at most
// once, the largest first. These are errors: a number without a unit, a sign, more than 100 years,
// and fractions of 1 µs. 0 is "0s".
std::int64_t parse_duration_us(std::string_view text, std::string_view field);

// The same, but 0 is an error. For windows and time-outs.
std::int64_t parse_positive_duration_us(std::string_view text, std::string_view field);

// Of a rate: the same, and a unit alone is one of it, "m" -> 60000000.
std::int64_t parse_period_us(std::string_view text, std::string_view field);

// The text that parses back to the same value: 90000000 -> "1m30s", 1500 -> "1.5ms".
std::string format_duration(std::int64_t us);

// For people, rounded to three digits or two units: 42.1 s, 12 µs, 1 h 30 m, more than 100 years.
std::string format_duration_for_people(std::int64_t us);

// The time left, rounded up to whole seconds so that it does not flicker: "42s", "1m 05s", "3h
// 10m", ">100y".
std::string format_countdown(std::int64_t us);

// A whole number >= min; overflow, signs, blanks and fractions are errors.
std::int64_t parse_count(std::string_view text, std::string_view field, std::int64_t min = 1);
// From 1 to `most`.
std::int64_t parse_bounded(std::string_view text, std::string_view field, std::int64_t most);

// "30/1m" or "30/m" -> {30, 60000000}.
struct Rate {
  std::int64_t count = 0;
  std::int64_t per_us = 1;
};
Rate parse_rate(std::string_view text, std::string_view field, std::int64_t least = 1);

// 1234567 -> "1,234,567".
std::string format_count(std::int64_t n);

// "1 try", "2,520 tries"; without `many`: "1 run", "3 runs".
std::string counted(std::int64_t n, std::string_view one, std::string_view many = {});
template <std::unsigned_integral Number>
std::string counted(Number n, std::string_view one, std::string_view many = {}) {
  return counted(static_cast<std::int64_t>(n), one, many);
}

// Percent, with enough digits that only 100 is shown as 100: "99.98".
std::string format_percent(double percent);

// One figure if low and high are equal, else "low to high".
std::string format_accuracy(double low, double high);

// "2G", "512M", "64K": a whole number of KiB, MiB, GiB or TiB, 1 or more.
std::int64_t parse_memory_bytes(std::string_view text, std::string_view field);

// 1160 -> "1.13 KiB".
std::string format_bytes(std::int64_t bytes);

// "0.1" -> 100000: a decimal number that stays exact, not the nearest double. Digits, at most six
// after the point; no sign, no exponent.
std::int64_t parse_millionths(std::string_view text, std::string_view field);

// "0.1%" -> 0.001; 0 % to 100 %.
double parse_share(std::string_view text, std::string_view field);

}  // namespace rlctl
