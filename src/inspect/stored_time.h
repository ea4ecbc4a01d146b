// Times since 1970, as limiters store them: in s, ms, µs or ns. Pure.
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

// The same for a text that is one number, as Redis and Lua write it ("1.7952145070366e+15").
std::optional<StoredTime> stored_time_in(std::string_view text);

// A computed time in µs, to the nearest; as far away as it can be without an overflow of now + it.
std::int64_t rounded_us(double us);

}  // namespace rlctl
