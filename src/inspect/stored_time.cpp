#include "inspect/stored_time.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <ctime>

namespace rlctl {
namespace {

constexpr double kFirstS = 978'307'200;   // 2001
constexpr double kLastS = 4'102'444'800;  // 2100

struct Unit {
  std::string_view name;
  double per_second;
};
constexpr Unit kUnits[] = {{"s", 1}, {"ms", 1e3}, {"µs", 1e6}, {"ns", 1e9}};

}  // namespace

std::optional<StoredTime> stored_time_from(double number) {
  for (const Unit& unit : kUnits)
    if (number >= kFirstS * unit.per_second && number < kLastS * unit.per_second)
      return StoredTime{std::llround(number * (1e6 / unit.per_second)), unit.name};
  return std::nullopt;
}

std::string score_at(std::string_view unit, std::int64_t us) {
  double per_second = 1e6;
  for (const Unit& known : kUnits)
    if (known.name == unit) per_second = known.per_second;
  return fmt::format("{:.17g}", static_cast<double>(us) / (1e6 / per_second));
}

std::optional<double> number_from(std::string_view text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string format_utc(std::int64_t us) {
  std::int64_t seconds = us / 1'000'000;
  std::int64_t rest_us = us % 1'000'000;
  if (rest_us < 0) {
    rest_us += 1'000'000;
    --seconds;
  }
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  gmtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     rest_us);
}

}  // namespace rlctl
