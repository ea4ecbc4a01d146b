// A timeline for a terminal: a line for each slice of time, with the allowed and denied requests as
// a bar and as numbers, and with marks at window edges. Plain ASCII. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "report/picture/timeline.h"

namespace rlctl {

// `window_us`: edges are its multiples; 0: no marks. Consecutive empty slices become one line,
// which says how long they are. At most `width` columns wide; 0: no bound.
std::string timeline_text(const Timeline& timeline, std::int64_t window_us, std::size_t width = 0);

}  // namespace rlctl
