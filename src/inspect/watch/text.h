// One snapshot of the live view as plain text, for output without a terminal: a summary line and a
// table of the limiters. Pure; names are escaped.
#pragma once

#include <string>
#include <vector>

#include "inspect/watch/row.h"

namespace rlctl {

// Contains the first `most` rows. Every line ends with a newline.
std::string watch_text(const std::vector<WatchRow>& rows, const WatchStatus& status,
                       std::size_t most);

}  // namespace rlctl
