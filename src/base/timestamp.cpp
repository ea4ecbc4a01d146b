#include "base/timestamp.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <string>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"

namespace rlctl {
namespace {

std::int64_t us_per(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::seconds:
      return kSecondUs;
    case TimeUnit::milliseconds:
      return 1'000;
    default:
      return 1;
  }
}

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kWeekdays{"Sun", "Mon", "Tue", "Wed",
                                                    "Thu", "Fri", "Sat"};

// Reads a text from the front. After the first error, `ok` stays false.
struct Cursor {
  std::string_view rest;
  bool ok = true;

  bool skip(std::string_view text) {
    if (!rest.starts_with(text)) return false;
    rest.remove_prefix(text.size());
    return true;
  }
  void expect(std::string_view text) { ok = skip(text) && ok; }

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

  int month() {
    for (std::size_t i = 0; i < kMonths.size(); ++i)
      if (skip(kMonths[i])) return static_cast<int>(i) + 1;
    ok = false;
    return 1;
  }
};

// The start of the day; the cursor fails for a day that is not in the calendar.
std::int64_t date_us(Cursor& cursor, int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  cursor.ok = cursor.ok && date.ok() && year >= 1970;
  if (!cursor.ok) return 0;
  return std::chrono::sys_days{date}.time_since_epoch().count() * kDayUs;
}

// "10:00:00"; a leap second counts as the first second of the next minute.
std::int64_t seconds_us(Cursor& cursor) {
  const int hour = cursor.number(2, 0, 23);
  cursor.expect(":");
  const int minute = cursor.number(2, 0, 59);
  cursor.expect(":");
  return (hour * 3'600LL + minute * 60LL + cursor.number(2, 0, 60)) * kSecondUs;
}

// "10:00:00[.fraction]".
Timestamp time_of_day(Cursor& cursor) {
  Timestamp time{seconds_us(cursor), kSecondUs};
  if (!cursor.skip(".") && !cursor.skip(",")) return time;
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
  if (cursor.rest.empty() || cursor.skip("Z")) return 0;
  const bool west = cursor.skip("-");
  if (!west) cursor.expect("+");
  const int hours = cursor.number(2, 0, 23);
  cursor.skip(":");
  const std::int64_t offset = (hours * 3'600LL + cursor.number(2, 0, 59) * 60LL) * kSecondUs;
  return west ? -offset : offset;
}

std::optional<Timestamp> finished(const Cursor& cursor, Timestamp time) {
  const bool fits = cursor.ok && cursor.rest.empty() && time.us >= 0 && time.us <= kLastInstantUs;
  return fits ? std::optional(time) : std::nullopt;
}

std::optional<Timestamp> parse_iso(std::string_view text) {
  Cursor cursor{text};
  const int year = cursor.number(4, 1970, 9999);
  const std::string_view sign = cursor.rest.starts_with('/') ? "/" : "-";
  cursor.expect(sign);
  const int month = cursor.number(2, 1, 12);
  cursor.expect(sign);
  const int day = cursor.number(2, 1, 31);
  if (!cursor.skip(" ") && !cursor.skip("\t")) cursor.expect("T");
  const std::int64_t date = date_us(cursor, year, month, day);
  Timestamp time = time_of_day(cursor);
  time.us += date - zone_us(cursor);
  return finished(cursor, time);
}

std::optional<Timestamp> parse_access_log_time(std::string_view text) {
  Cursor cursor{text};
  const int day = cursor.number(2, 1, 31);
  cursor.expect("/");
  const int month = cursor.month();
  cursor.expect("/");
  const int year = cursor.number(4, 1970, 9999);
  cursor.expect(":");
  const std::int64_t date = date_us(cursor, year, month, day);
  Timestamp time = time_of_day(cursor);
  cursor.skip(" ");
  time.us += date - zone_us(cursor);
  return finished(cursor, time);
}

// "06 Nov 1994 08:49:37 GMT", "06-Nov-94 08:49:37 GMT".
std::int64_t read_gmt_date(Cursor& cursor) {
  const int day = cursor.number(2, 1, 31);
  const bool obsolete = cursor.skip("-");
  if (!obsolete) cursor.expect(" ");
  const int month = cursor.month();
  cursor.expect(obsolete ? "-" : " ");
  int year = obsolete ? cursor.number(2, 0, 99) : cursor.number(4, 0, 9999);
  if (obsolete) year += year < 70 ? 2'000 : 1'900;
  cursor.expect(" ");
  const std::int64_t date = date_us(cursor, year, month, day) + seconds_us(cursor);
  cursor.expect(" GMT");
  return date;
}

// "Nov  6 08:49:37 1994".
std::int64_t read_asctime(Cursor& cursor) {
  const int month = cursor.month();
  cursor.expect(" ");
  const int day = cursor.skip(" ") ? cursor.number(1, 1, 9) : cursor.number(2, 1, 31);
  cursor.expect(" ");
  const std::int64_t time = seconds_us(cursor);
  cursor.expect(" ");
  const int year = cursor.number(4, 0, 9999);
  return date_us(cursor, year, month, day) + time;
}

}  // namespace

TimeUnit likely_unit(std::string_view number) {
  const std::size_t digits = std::min(number.find('.'), number.size());
  if (digits < 12 && digits < number.size()) return TimeUnit::seconds;
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
  if (text.find('/') == 2) return parse_access_log_time(text);
  if (text.find(',') != 3) return parse_iso(text);
  const auto us = parse_http_date(text);
  return us ? std::optional(Timestamp{*us, kSecondUs}) : std::nullopt;
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

std::optional<std::int64_t> parse_http_date(std::string_view text) {
  const std::size_t weekday = text.find_first_of(", ");
  if (weekday == std::string_view::npos) return std::nullopt;
  const bool comma = text[weekday] == ',';
  Cursor cursor{text.substr(weekday + 1)};
  if (comma) cursor.expect(" ");
  const std::int64_t us = comma ? read_gmt_date(cursor) : read_asctime(cursor);
  if (!cursor.ok || !cursor.rest.empty()) return std::nullopt;
  return us;
}

std::string format_http_date(std::int64_t us) {
  const std::chrono::sys_seconds time{std::chrono::seconds{us / 1'000'000}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  return fmt::format(
      "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kWeekdays[std::chrono::weekday{day}.c_encoding()],
      static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
      static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
      clock.seconds().count());
}

}  // namespace rlctl
