#include "inspect/stored_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "base/units.h"

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

std::optional<StoredTime> stored_time_in(std::string_view text) {
  const auto number = parse_whole<double>(text);
  return number ? stored_time_from(*number) : std::nullopt;
}

std::int64_t rounded_us(double us) {
  constexpr auto kMost = static_cast<double>(us_of_ms(std::numeric_limits<std::int64_t>::max()));
  return std::isnan(us) ? 0 : std::llround(std::clamp(us, -kMost, kMost));
}

}  // namespace rlctl
