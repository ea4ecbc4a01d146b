// How far another clock is ahead of the clock of a machine: a range, from what both showed. Plain
// values, µs; pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace rlctl {

struct ClockRange {
  std::int64_t low_us = std::numeric_limits<std::int64_t>::min() / 4;
  std::int64_t high_us = std::numeric_limits<std::int64_t>::max() / 4;

  void narrow(const ClockRange& other) {
    low_us = std::max(low_us, other.low_us);
    high_us = std::min(high_us, other.high_us);
  }
  bool is_known() const { return *this != ClockRange(); }
  // Negative: a clock was set meanwhile, or is not one clock.
  std::int64_t width_us() const { return high_us - low_us; }
  std::int64_t middle_us() const { return low_us + width_us() / 2; }
  bool operator==(const ClockRange&) const = default;
};

}  // namespace rlctl
