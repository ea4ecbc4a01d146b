#include "base/http_date.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace rlctl {
namespace {

using std::chrono::sys_days;

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

// Reads from the front; after the first mismatch `ok` stays false.
struct Cursor {
  std::string_view rest;
  bool ok = true;

  void expect(std::string_view text) {
    ok = ok && rest.starts_with(text);
    if (ok) rest.remove_prefix(text.size());
  }
  int number(std::size_t digits) {
    int value = 0;
    ok = ok && rest.size() >= digits;
    for (std::size_t i = 0; ok && i < digits; ++i) {
      ok = rest[i] >= '0' && rest[i] <= '9';
      value = value * 10 + (rest[i] - '0');
    }
    if (ok) rest.remove_prefix(digits);
    return value;
  }
  unsigned month() {
    for (unsigned i = 0; ok && i < kMonths.size(); ++i) {
      if (!rest.starts_with(kMonths[i])) continue;
      rest.remove_prefix(3);
      return i + 1;
    }
    ok = false;
    return 1;
  }
};

struct Date {
  int year = 1970;
  unsigned month = 1;
  int day = 1;
  std::int64_t seconds = 0;  // of the day
};

std::int64_t time_of_day(Cursor& cursor) {
  const int hour = cursor.number(2);
  cursor.expect(":");
  const int minute = cursor.number(2);
  cursor.expect(":");
  const int second = cursor.number(2);
  cursor.ok = cursor.ok && hour < 24 && minute < 60 && second <= 60;
  return hour * 3'600 + minute * 60 + second;
}

// 06 Nov 1994 08:49:37 GMT
Date read_fixed(Cursor& cursor) {
  Date date;
  date.day = cursor.number(2);
  cursor.expect(" ");
  date.month = cursor.month();
  cursor.expect(" ");
  date.year = cursor.number(4);
  cursor.expect(" ");
  date.seconds = time_of_day(cursor);
  cursor.expect(" GMT");
  return date;
}

// 06-Nov-94 08:49:37 GMT
Date read_rfc850(Cursor& cursor) {
  Date date;
  date.day = cursor.number(2);
  cursor.expect("-");
  date.month = cursor.month();
  cursor.expect("-");
  const int year = cursor.number(2);
  date.year = year + (year < 70 ? 2'000 : 1'900);
  cursor.expect(" ");
  date.seconds = time_of_day(cursor);
  cursor.expect(" GMT");
  return date;
}

// Nov  6 08:49:37 1994
Date read_asctime(Cursor& cursor) {
  Date date;
  date.month = cursor.month();
  cursor.expect(" ");
  const bool one_digit = cursor.rest.starts_with(" ");
  if (one_digit) cursor.expect(" ");
  date.day = cursor.number(one_digit ? 1 : 2);
  cursor.expect(" ");
  date.seconds = time_of_day(cursor);
  cursor.expect(" ");
  date.year = cursor.number(4);
  return date;
}

Date read_date(Cursor& cursor) {
  const std::size_t weekday = cursor.rest.find_first_of(", ");
  if (weekday == std::string_view::npos) {
    cursor.ok = false;
    return {};
  }
  const bool comma = cursor.rest[weekday] == ',';
  cursor.rest.remove_prefix(weekday + 1);
  if (!comma) return read_asctime(cursor);
  cursor.expect(" ");
  return cursor.rest.size() > 2 && cursor.rest[2] == '-' ? read_rfc850(cursor) : read_fixed(cursor);
}

}  // namespace

std::optional<std::int64_t> parse_http_date(std::string_view text) {
  Cursor cursor{text};
  const Date date = read_date(cursor);
  const std::chrono::year_month_day day{std::chrono::year{date.year},
                                        std::chrono::month{date.month},
                                        std::chrono::day{static_cast<unsigned>(date.day)}};
  if (!cursor.ok || !cursor.rest.empty() || !day.ok() || date.year < 1970) return std::nullopt;
  const std::int64_t days = sys_days{day}.time_since_epoch().count();
  return (days * 86'400 + date.seconds) * 1'000'000;
}

std::string format_http_date(std::int64_t us) {
  const std::chrono::sys_seconds time{std::chrono::seconds{us / 1'000'000}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  return fmt::format(
      "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[std::chrono::weekday{day}.c_encoding()],
      static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
      static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
      clock.seconds().count());
}

}  // namespace rlctl
