// Times since 1970, as limiters store them (s, ms, µs or ns) and as people read them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rlctl {

struct StoredTime {
  std::int64_t us = 0;    // since 1970
  std::string_view unit;  // "s", "ms", "µs" or "ns": the unit of the number
  bool operator==(const StoredTime&) const = default;
};

// A time between 2001 and 2100. Its magnitude gives the unit: the four ranges are apart by a factor
// of about 250, so no number fits two units. Empty for all other numbers.
std::optional<StoredTime> stored_time_from(double number);

// The time as a score in that unit, with all digits.
std::string score_at(std::string_view unit, std::int64_t us);

// The whole text as one number, as Redis and Lua write numbers ("1.7952145070366e+15", "-3",
// "0.5").
std::optional<double> number_from(std::string_view text);

// "2026-11-21 00:36:18.123456", UTC.
std::string format_utc(std::int64_t us);

}  // namespace rlctl
