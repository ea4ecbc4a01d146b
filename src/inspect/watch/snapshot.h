// One snapshot of the live view, for output without a terminal: a summary line and a table of the
// limiters, or JSON. Both contain the first `most` rows. Pure; names are escaped.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "inspect/watch/status.h"

namespace rlctl {

// Every line ends with a newline. The table is at most `width` columns wide; 0: no bound.
std::string watch_text(const std::vector<LimiterRow>& rows, const WatchStatus& status,
                       std::size_t most, std::size_t width = 0);

nlohmann::ordered_json watch_json(const std::vector<LimiterRow>& rows, const WatchStatus& status,
                                  std::size_t most);

}  // namespace rlctl
