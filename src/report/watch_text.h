// One look of the live view as plain text, where there is no terminal: a line that sums up, and a
// table of the busiest. Pure; names are escaped.
#pragma once

#include <string>
#include <vector>

#include "core/watch_row.h"

namespace rlctl {

// At most `most` of the rows, in their order. Every line ends with a newline.
std::string watch_text(const std::vector<WatchRow>& rows, const WatchStatus& status,
                       std::size_t most);

}  // namespace rlctl
