// One look of the live view as JSON: what rlctl watch --json gives. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/watch_row.h"

namespace rlctl {

// At most `most` of the rows, in their order.
nlohmann::ordered_json watch_json(const std::vector<WatchRow>& rows, const WatchStatus& status,
                                  std::size_t most);

}  // namespace rlctl
