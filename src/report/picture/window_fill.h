// How full the window that ends now is, over time: for each slice of a timeline the most admissions
// of one key that certainly lie in some window (t - W, t] with t in the slice. Drawn against the
// limit it shows a burst as it builds up. Pure; O(n log n).
//
// Certain at t are at least the admissions whose intervals ended by t, less those whose intervals
// began by t - W; with instants that is the exact number.
#pragma once

#include <cstdint>
#include <vector>

#include "report/picture/timeline.h"
#include "verdict/history.h"

namespace rlctl {

// A value for each slice of `timeline`. `admitted` is the key's, all of it.
std::vector<std::int64_t> window_fill(const std::vector<Placement>& admitted,
                                      std::int64_t window_us, const Timeline& timeline);

}  // namespace rlctl
