// The fill of the window over time: for each slice of a timeline, the most admissions of one key
// that certainly lie in a window (t - W, t] with t in the slice. Drawn with the limit, it shows how
// a burst builds up. Pure; O(n log n).
//
// The certain number at t is at least the number of admissions whose intervals ended by t, minus
// those whose intervals began by t - W. If all intervals are instants, this is the exact number.
#pragma once

#include <cstdint>
#include <vector>

#include "report/picture/timeline.h"
#include "verdict/history.h"

namespace rlctl {

// Returns one value for each slice of `timeline`. `admitted`: all admissions of the key.
std::vector<std::int64_t> window_fill(const std::vector<Placement>& admitted,
                                      std::int64_t window_us, const Timeline& timeline);

}  // namespace rlctl
