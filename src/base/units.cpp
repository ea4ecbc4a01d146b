#include "base/units.h"

#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"

namespace rlctl {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t us;
};

constexpr Unit kUnits[] = {{"d", kDayUs},    {"h", kHourUs}, {"m", kMinuteUs},
                           {"s", kSecondUs}, {"ms", 1000},   {"us", 1}};
constexpr std::string_view kDurationExample = "write 5s, 500ms or 1m30s";

// "the units are d, h, m, s, ms and us".
std::string units_in_words() {
  std::string text = "the units are";
  for (const Unit& unit : kUnits)
    text += fmt::format("{} {}",
                        &unit == kUnits                 ? ""
                        : &unit == std::end(kUnits) - 1 ? " and"
                                                        : ",",
                        unit.name);
  return text;
}

[[noreturn]] void fail(std::string_view field, std::string_view text, std::string_view problem,
                       std::string_view hint) {
  throw Error(Exit::usage, fmt::format("{}: {} {}", field, in_quotes(text), problem),
              std::string(hint));
}

std::string_view take_digits(std::string_view& rest) {
  std::size_t n = 0;
  while (n < rest.size() && is_digit(rest[n])) ++n;
  const std::string_view digits = rest.substr(0, n);
  rest.remove_prefix(n);
  return digits;
}

// Reads "1m30s" part by part: a number, then a unit smaller than the previous one.
class DurationParser {
 public:
  enum class UnitAlone : bool { refused, is_one };

  DurationParser(std::string_view text, std::string_view field,
                 UnitAlone unit_alone = UnitAlone::refused)
      : text_(text), rest_(text), field_(field), unit_alone_(unit_alone) {}

  std::int64_t parse() {
    if (text_.empty()) throw_error("is not a duration");
    if (text_[0] == '-' || text_[0] == '+') throw_error("has a sign");
    if (unit_alone_ == UnitAlone::is_one && !is_digit(text_[0]) && text_[0] != '.')
      add("1", take_unit().us);
    while (!rest_.empty()) parse_part();
    return total_us_;
  }

 private:
  void parse_part() {
    const std::string_view whole = take_digits(rest_);
    if (whole.empty()) throw_error("is not a duration");
    std::string_view fraction;
    if (!rest_.empty() && rest_[0] == '.') {
      rest_.remove_prefix(1);
      fraction = take_digits(rest_);
      if (fraction.empty()) throw_error("is not a duration");
    }
    const Unit unit = take_unit();
    add(whole, unit.us);
    add_fraction(fraction, unit.us);
  }

  Unit take_unit() {
    std::size_t n = 0;
    while (n < rest_.size() && !is_digit(rest_[n]) && rest_[n] != '.') ++n;
    if (n == 0) throw_without_unit();
    const std::string_view name = rest_.substr(0, n);
    for (const Unit& unit : kUnits) {
      if (unit.name != name) continue;
      if (unit.us >= previous_us_) throw_error("has its units in the wrong order");
      previous_us_ = unit.us;
      rest_.remove_prefix(n);
      return unit;
    }
    fail(field_, text_,
         name == text_ ? "is not a unit" : fmt::format("has the unknown unit {}", in_quotes(name)),
         units_in_words());
  }

  void add(std::string_view digits, std::int64_t unit_us) {
    const std::optional<std::int64_t> count = parse_whole<std::int64_t>(digits);
    std::int64_t part_us = 0;
    if (!count || __builtin_mul_overflow(*count, unit_us, &part_us)) throw_too_long();
    if (part_us > kLongestDurationUs - total_us_) throw_too_long();
    total_us_ += part_us;
  }

  // Exact decimal division, digit by digit; a double would lose digits.
  void add_fraction(std::string_view digits, std::int64_t unit_us) {
    std::int64_t numerator = 0;  // the fraction in units of unit_us / 10^n, kept below unit_us
    for (std::size_t n = digits.size(); n > 0; --n) {
      numerator += (digits[n - 1] - '0') * unit_us;
      if (numerator % 10 != 0) throw_error("is finer than a microsecond");
      numerator /= 10;
    }
    if (numerator > kLongestDurationUs - total_us_) throw_too_long();
    total_us_ += numerator;
  }

  [[noreturn]] void throw_without_unit() const {
    const bool only_digits = text_.find_first_not_of("0123456789.") == std::string_view::npos;
    if (!only_digits) throw_error("has a number without a unit");
    throw_error("has no unit");
  }
  [[noreturn]] void throw_too_long() const {
    fail(field_, text_, "is too long", "the longest duration is 36500d");
  }
  [[noreturn]] void throw_error(std::string_view problem) const {
    fail(field_, text_, problem, kDurationExample);
  }

  std::string_view text_;
  std::string_view rest_;
  std::string_view field_;
  UnitAlone unit_alone_;
  std::int64_t total_us_ = 0;
  std::int64_t previous_us_ = std::numeric_limits<std::int64_t>::max();
};

std::int64_t positive(std::int64_t us, std::string_view text, std::string_view field) {
  if (us == 0) fail(field, text, "must be more than 0", kDurationExample);
  return us;
}

std::string with_fraction(std::int64_t value, std::int64_t unit, std::string_view name) {
  std::string text = std::to_string(value / unit);
  if (value % unit != 0) {
    std::string decimals = std::to_string(unit + value % unit).substr(1);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    text += "." + decimals;
  }
  return text.append(name);
}

// Three digits: 1.20, 42.1, 118.
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string two_units(std::int64_t count, std::int64_t per, const char* large, const char* small) {
  std::string text = fmt::format("{} {}", count / per, large);
  if (count % per != 0) text += fmt::format(" {} {}", count % per, small);
  return text;
}

std::string format_minutes_and_more(double seconds) {
  const auto whole_s = static_cast<std::int64_t>(seconds + 0.5);
  if (whole_s < 3600) return two_units(whole_s, 60, "m", "s");
  const std::int64_t whole_m = (whole_s + 30) / 60;
  if (whole_m < 24 * 60) return two_units(whole_m, 60, "h", "m");
  return two_units((whole_s + 1800) / 3600, 24, "d", "h");
}

}  // namespace

std::int64_t parse_duration_us(std::string_view text, std::string_view field) {
  return DurationParser(text, field).parse();
}

std::int64_t parse_positive_duration_us(std::string_view text, std::string_view field) {
  return positive(parse_duration_us(text, field), text, field);
}

std::int64_t parse_period_us(std::string_view text, std::string_view field) {
  return positive(DurationParser(text, field, DurationParser::UnitAlone::is_one).parse(), text,
                  field);
}

std::string format_duration(std::int64_t us) {
  if (us < 0)
    return "-" + format_duration(us == std::numeric_limits<std::int64_t>::min()
                                     ? std::numeric_limits<std::int64_t>::max()
                                     : -us);
  if (us == 0) return "0s";
  if (us < 1000) return std::to_string(us) + "us";
  if (us < kSecondUs) return with_fraction(us, 1000, "ms");
  std::string text;
  for (const Unit& unit : {kUnits[0], kUnits[1], kUnits[2]}) {
    if (us >= unit.us) text += std::to_string(us / unit.us).append(unit.name);
    us %= unit.us;
  }
  if (us > 0) text += with_fraction(us, kSecondUs, "s");
  return text;
}

std::string format_duration_for_people(std::int64_t us) {
  const double magnitude = us < 0 ? -static_cast<double>(us) : static_cast<double>(us);
  const char* sign = us < 0 ? "-" : "";
  if (magnitude < 1000) return fmt::format("{} µs", us);
  if (magnitude < 999.5e3) return sign + three_digits(magnitude / 1e3) + " ms";
  if (magnitude < 59.95e6) return sign + three_digits(magnitude / 1e6) + " s";
  if (us > kLongestDurationUs) return "more than 100 years";
  return sign + format_minutes_and_more(magnitude / 1e6);
}

std::string format_countdown(std::int64_t us) {
  if (us > kLongestDurationUs) return ">100y";
  const std::int64_t seconds = std::max<std::int64_t>(0, (us + 999'999) / 1'000'000);
  if (seconds < 100) return fmt::format("{}s", seconds);
  if (seconds < 3'600) return fmt::format("{}m {:02}s", seconds / 60, seconds % 60);
  if (seconds < 100 * 3'600) return fmt::format("{}h {:02}m", seconds / 3'600, seconds / 60 % 60);
  return fmt::format("{}d", seconds / 86'400);
}

std::int64_t parse_count(std::string_view text, std::string_view field, std::int64_t min) {
  const std::string example = fmt::format("write a whole number, {} or more", min);
  std::string_view rest = text;
  const std::string_view digits = take_digits(rest);
  if (digits.empty() || !rest.empty()) fail(field, text, "is not a whole number", example);
  const std::optional<std::int64_t> count = parse_whole<std::int64_t>(digits);
  if (!count) {
    fail(field, text, "is too large",
         fmt::format("the largest number is {}", std::numeric_limits<std::int64_t>::max()));
  }
  if (*count < min) fail(field, text, "is too small", example);
  return *count;
}

std::int64_t parse_bounded(std::string_view text, std::string_view field, std::int64_t most) {
  const std::int64_t count = parse_count(text, field);
  if (count > most)
    throw Error(Exit::usage, fmt::format("{}: {} is too large", field, in_quotes(text)),
                fmt::format("the maximum is {}", format_count(most)));
  return count;
}

Rate parse_rate(std::string_view text, std::string_view field, std::int64_t least) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size())
    fail(field, text, "is not a rate", "write 30/1m or 500/s");
  return {parse_count(text.substr(0, slash), field, least),
          parse_period_us(text.substr(slash + 1), field)};
}

std::string format_count(std::int64_t n) {
  std::string text = std::to_string(n);
  const std::size_t first = n < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::int64_t parse_memory_bytes(std::string_view text, std::string_view field) {
  constexpr std::string_view kUnits = "KMGT";
  constexpr std::int64_t kMost = std::int64_t{1} << 50U;
  std::string_view unit = text;
  const auto count = parse_whole<std::int64_t>(take_digits(unit));
  const std::size_t power = unit.size() == 1 ? kUnits.find(unit.front()) : kUnits.npos;
  if (!count || *count < 1 || power == kUnits.npos)
    fail(field, text, "is not a size", "write a size such as 512M or 2G");
  const std::int64_t unit_bytes = std::int64_t{1} << (10 * (power + 1));
  if (*count > kMost / unit_bytes) fail(field, text, "is too large", "write a size such as 2G");
  return *count * unit_bytes;
}

std::string format_bytes(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  const char* const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < std::size(names)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value), names[unit]);
}

std::string counted(std::int64_t n, std::string_view one, std::string_view many) {
  const std::string number = format_count(n) + " ";
  if (n == 1) return number + std::string(one);
  return number + (many.empty() ? std::string(one) + "s" : std::string(many));
}

std::string format_percent(double percent) {
  if (percent >= 100) return "100";
  for (int digits = 1; digits < 6; ++digits) {
    const std::string text = fmt::format("{:.{}f}", percent, digits);
    if (!text.starts_with("100")) return text;
  }
  return "99.99999";
}

std::string format_accuracy(double low, double high) {
  const std::string from = format_percent(low);
  const std::string to = format_percent(high);
  return from == to ? from : from + " to " + to;
}

std::int64_t parse_millionths(std::string_view text, std::string_view field) {
  std::int64_t value = 0;
  const auto push = [&](int digit) {
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
        __builtin_add_overflow(value, std::int64_t{digit}, &value))
      fail(field, text, "is too large", "the largest number is 9,223,372,036,854");
  };
  std::size_t at = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) push(text[at] - '0');
  if (at == 0) fail(field, text, "is not a number", "write 5 or 0.1");
  int decimals = 0;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && is_digit(text[at]); ++at, ++decimals) {
      if (decimals == 6) fail(field, text, "has too many decimals", "write six at most");
      push(text[at] - '0');
    }
    if (decimals == 0) fail(field, text, "is not a number", "write 5 or 0.1");
  }
  if (at < text.size()) fail(field, text, "is not a number", "write 5 or 0.1");
  for (; decimals < 6; ++decimals) push(0);
  return value;
}

double parse_share(std::string_view text, std::string_view field) {
  if (!text.ends_with('%')) fail(field, text, "is not a percentage", "write 1% or 0.1%");
  const std::int64_t percent = parse_millionths(text.substr(0, text.size() - 1), field);
  if (percent > 100 * kMillion) fail(field, text, "is more than 100 %", "write 0% to 100%");
  return static_cast<double>(percent) / (100.0 * kMillion);
}

}  // namespace rlctl
