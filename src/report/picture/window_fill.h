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

// What may have been, where it is not certain. Each admission was decided anywhere in its interval,
// whatever the others were, so all whose intervals meet a window may lie in it together. `placed`:
// all admissions of the key, and the requests of which it is not known if they were admitted.

// As window_fill(), but the most admissions that possibly lie in the window.
std::vector<std::int64_t> possible_fill(const std::vector<Placement>& placed,
                                        std::int64_t window_us, const Timeline& timeline);

// The first window (to - W, to] that possibly holds the most.
struct PossibleWindow {
  std::int64_t from_us = 0;
  std::int64_t to_us = 0;
  std::int64_t count = 0;
};
PossibleWindow fullest_possible(const std::vector<Placement>& placed, std::int64_t window_us);

// The most that possibly lie in a closed span of this length.
std::int64_t most_possible(const std::vector<Placement>& placed, std::int64_t span_us);

}  // namespace rlctl
