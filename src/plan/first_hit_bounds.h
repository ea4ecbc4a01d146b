// How many requests a limiter whose windows begin with a first request has to deny: bounds over all
// placements of the arrivals in their intervals. Here every arrival is in the log, so the first one
// opens a window, and the first one after its end the next one.
//
// Window k begins in [a, b], and the one before is over at b' + W. What comes after that and before
// a + W for every placement is in window k for certain; what can touch [a, b + W) may be. The next
// one begins no earlier than a + W, and with the first arrival that is certainly after b + W at the
// latest. Pure; O(n log n); times are µs.
// Costs of 1 only.
#pragma once

#include <cstdint>
#include <vector>

#include "verdict/history.h"

namespace rlctl {

struct DenialRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

DenialRange first_hit_range(const std::vector<Placement>& arrivals, std::int64_t window_us,
                            std::int64_t limit, std::int64_t tolerance_us);

}  // namespace rlctl
