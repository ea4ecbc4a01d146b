#include "base/timestamp.h"

#include <fmt/chrono.h>

#include <array>
#include <cstddef>
#include <ctime>
#include <string>

#include "base/error.h"
#include "base/escape.h"

namespace rlctl {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::int64_t us_per(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::seconds:
      return kSecond;
    case TimeUnit::milliseconds:
      return 1'000;
    default:
      return 1;
  }
}

// Reads a text from the front. After the first error, `ok` stays false.
struct Cursor {
  std::string_view rest;
  bool ok = true;

  bool skip(char c) {
    if (rest.empty() || rest.front() != c) return false;
    rest.remove_prefix(1);
    return true;
  }
  void expect(char c) { ok = skip(c) && ok; }

  int number(std::size_t digits, int low, int high) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (i >= rest.size() || !is_digit(rest[i])) {
        ok = false;
        return low;
      }
      value = value * 10 + (rest[i] - '0');
    }
    rest.remove_prefix(digits);
    ok = ok && value >= low && value <= high;
    return value;
  }
};

// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": days_from_civil.
std::int64_t days_since_1970(int year, int month, int day) {
  const int y = month <= 2 ? year - 1 : year;
  const int era = y / 400;
  const int year_of_era = y - era * 400;
  const int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return std::int64_t{era} * 146'097 + day_of_era - 719'468;
}

bool is_date(int year, int month, int day) {
  static constexpr std::array kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= kDays[static_cast<std::size_t>(month - 1)] + (leap && month == 2 ? 1 : 0);
}

int month_of(Cursor& cursor) {
  static constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::size_t at =
      cursor.rest.size() < 3 ? std::string_view::npos : kMonths.find(cursor.rest.substr(0, 3));
  if (at == std::string_view::npos || at % 3 != 0) {
    cursor.ok = false;
    return 1;
  }
  cursor.rest.remove_prefix(3);
  return static_cast<int>(at / 3) + 1;
}

std::int64_t date_us(Cursor& cursor, int year, int month, int day) {
  cursor.ok = cursor.ok && is_date(year, month, day);
  return cursor.ok ? days_since_1970(year, month, day) * 86'400 * kSecond : 0;
}

// "10:00:00[.fraction]"; a leap second counts as the first second of the next minute.
Timestamp time_of_day(Cursor& cursor) {
  const int hour = cursor.number(2, 0, 23);
  cursor.expect(':');
  const int minute = cursor.number(2, 0, 59);
  cursor.expect(':');
  Timestamp time{(hour * 3'600LL + minute * 60LL + cursor.number(2, 0, 60)) * kSecond, kSecond};
  if (!cursor.skip('.') && !cursor.skip(',')) return time;
  cursor.ok = cursor.ok && !cursor.rest.empty() && is_digit(cursor.rest.front());
  for (; !cursor.rest.empty() && is_digit(cursor.rest.front()); cursor.rest.remove_prefix(1)) {
    if (time.resolution_us == 1) continue;
    time.resolution_us /= 10;
    time.us += (cursor.rest.front() - '0') * time.resolution_us;
  }
  return time;
}

// "Z", "+0100", "+01:00" or nothing.
std::int64_t zone_us(Cursor& cursor) {
  if (cursor.rest.empty() || cursor.skip('Z')) return 0;
  const bool west = cursor.skip('-');
  if (!west) cursor.expect('+');
  const int hours = cursor.number(2, 0, 23);
  cursor.skip(':');
  const std::int64_t offset = (hours * 3'600LL + cursor.number(2, 0, 59) * 60LL) * kSecond;
  return west ? -offset : offset;
}

std::optional<Timestamp> finished(const Cursor& cursor, Timestamp time) {
  const bool fits = cursor.ok && cursor.rest.empty() && time.us >= 0 && time.us <= kLastInstantUs;
  return fits ? std::optional(time) : std::nullopt;
}

std::optional<Timestamp> parse_iso(std::string_view text) {
  Cursor cursor{text};
  const int year = cursor.number(4, 1970, 9999);
  cursor.expect('-');
  const int month = cursor.number(2, 1, 12);
  cursor.expect('-');
  const int day = cursor.number(2, 1, 31);
  if (!cursor.skip(' ')) cursor.expect('T');
  if (!cursor.ok) return std::nullopt;
  const std::int64_t date = date_us(cursor, year, month, day);
  Timestamp time = time_of_day(cursor);
  time.us += date - zone_us(cursor);
  return finished(cursor, time);
}

std::optional<Timestamp> parse_access_log_time(std::string_view text) {
  Cursor cursor{text};
  const int day = cursor.number(2, 1, 31);
  cursor.expect('/');
  const int month = month_of(cursor);
  cursor.expect('/');
  const int year = cursor.number(4, 1970, 9999);
  cursor.expect(':');
  if (!cursor.ok) return std::nullopt;
  const std::int64_t date = date_us(cursor, year, month, day);
  Timestamp time = time_of_day(cursor);
  cursor.skip(' ');
  time.us += date - zone_us(cursor);
  return finished(cursor, time);
}

}  // namespace

std::optional<TimeUnit> time_unit_of(std::string_view name) {
  if (name == "s") return TimeUnit::seconds;
  if (name == "ms") return TimeUnit::milliseconds;
  if (name == "us") return TimeUnit::microseconds;
  if (name == "ns") return TimeUnit::nanoseconds;
  return std::nullopt;
}

TimeUnit likely_unit(std::string_view number) {
  if (number.find('.') != std::string_view::npos) return TimeUnit::seconds;
  const std::size_t digits = number.size();
  if (digits >= 9 && digits <= 11) return TimeUnit::seconds;
  if (digits >= 12 && digits <= 14) return TimeUnit::milliseconds;
  if (digits >= 15 && digits <= 17) return TimeUnit::microseconds;
  if (digits >= 18 && digits <= 19) return TimeUnit::nanoseconds;
  return TimeUnit::detected;
}

std::optional<Timestamp> parse_number_of(std::string_view text, TimeUnit unit) {
  std::int64_t whole = 0;
  std::size_t i = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    if (whole > (std::int64_t{1} << 62) / 10) return std::nullopt;
    whole = whole * 10 + (text[i] - '0');
  }
  if (i == 0) return std::nullopt;
  Timestamp time{0, us_per(unit)};
  if (unit == TimeUnit::nanoseconds) {
    time.us = whole / 1'000;
  } else {
    if (whole > kLastInstantUs / time.resolution_us) return std::nullopt;
    time.us = whole * time.resolution_us;
  }
  if (i < text.size() && text[i] == '.' && i + 1 < text.size()) {
    for (++i; i < text.size() && is_digit(text[i]); ++i) {
      if (time.resolution_us == 1) continue;
      time.resolution_us /= 10;
      time.us += (text[i] - '0') * time.resolution_us;
    }
  }
  const bool fits = i == text.size() && time.us <= kLastInstantUs;
  return fits ? std::optional(time) : std::nullopt;
}

std::optional<Timestamp> parse_calendar_time(std::string_view text) {
  return text.size() > 2 && text[2] == '/' ? parse_access_log_time(text) : parse_iso(text);
}

std::int64_t parse_instant_us(std::string_view text, std::string_view field) {
  const TimeUnit unit = likely_unit(text);
  const auto instant =
      text.find_first_not_of("0123456789.") == std::string_view::npos
          ? (unit == TimeUnit::detected ? std::nullopt : parse_number_of(text, unit))
          : parse_calendar_time(text);
  if (!instant)
    throw Error(Exit::usage,
                std::string(field) + ": " + in_quotes(text) + " is not a point in time",
                "write 2026-11-21T10:00:00Z, or seconds since 1970");
  return instant->us;
}

std::string format_instant(std::int64_t us) {
  const std::int64_t seconds = us >= 0 ? us / 1'000'000 : (us - 999'999) / 1'000'000;
  const std::time_t time = static_cast<std::time_t>(seconds);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:06d}", fmt::gmtime(time), us - seconds * 1'000'000);
}

}  // namespace rlctl
