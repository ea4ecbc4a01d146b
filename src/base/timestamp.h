// Reads the instants in logs, as µs since 1970, with their resolution. An instant written as T with
// resolution q lies in [T, T + q). Pure. The whole text must be an instant between the years 1970
// and 9999; otherwise the result is empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/words.h"

namespace rlctl {

struct Timestamp {
  std::int64_t us = 0;
  std::int64_t resolution_us = 1;
};

enum class TimeUnit : std::uint8_t { detected, seconds, milliseconds, microseconds, nanoseconds };
inline constexpr Word<TimeUnit> kTimeUnitWords[] = {{"s", TimeUnit::seconds},
                                                    {"ms", TimeUnit::milliseconds},
                                                    {"us", TimeUnit::microseconds},
                                                    {"ns", TimeUnit::nanoseconds}};
constexpr std::span<const Word<TimeUnit>> words_of(TimeUnit) { return kTimeUnitWords; }

// The end of year 9999, the last year with four digits.
inline constexpr std::int64_t kLastInstantUs = 253'402'300'799'999'999;

// The unit of a number since 1970 that has none: the unit that gives a year between 1973 and 5138;
// `detected` if no unit does. Short ones with decimals are seconds.
TimeUnit likely_unit(std::string_view number);

// "1700000000.123", "1700000000123", in the given unit (not `detected`). Digits below 1 µs are cut.
std::optional<Timestamp> parse_number_of(std::string_view text, TimeUnit unit);

// "2026-11-21T10:00:00.123Z", "2026-11-21 10:00:00+01:00", "2026/11/21 10:00:00", "Sat, 21 Nov 2026
// 10:00:00 GMT", and from access logs "21/Nov/2026:10:00:00 +0100", "21/Nov/2026:10:00:00.123".
// Without a zone: UTC.
std::optional<Timestamp> parse_calendar_time(std::string_view text);

// "2026-11-21 10:00:59.123456" (UTC).
std::string format_instant(std::int64_t us);

// Reads a user's time: a calendar time, or a number since 1970 in its likely unit. Throws
// Error(Exit::usage) that names the field.
std::int64_t parse_instant_us(std::string_view text, std::string_view field);

// The dates of HTTP header fields (RFC 9110, section 5.6.7), as µs since 1970. Pure.

// "Sun, 06 Nov 1994 08:49:37 GMT", and the two obsolete forms that recipients must accept:
// "Sunday, 06-Nov-94 08:49:37 GMT" and "Sun Nov  6 08:49:37 1994". Years of two digits mean 1970 to
// 2069. The weekday is not compared with the date. Empty: it is none of these.
std::optional<std::int64_t> parse_http_date(std::string_view text);

// The first of the forms; fractions of a second are dropped.
std::string format_http_date(std::int64_t us);

}  // namespace rlctl
