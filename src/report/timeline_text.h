// A timeline for a terminal: a line for each slice of time, with what was allowed and denied as a
// bar and in numbers, and the edges of the windows marked. Plain ASCII. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "core/timeline.h"

namespace rlctl {

// `window_us`: edges are its multiples; 0: none are marked. Runs of empty slices are one line.
std::string timeline_text(const Timeline& timeline, std::int64_t window_us);

}  // namespace rlctl
