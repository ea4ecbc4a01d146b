// One snapshot of the live view as JSON, for rlctl watch --json. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "inspect/watch/row.h"

namespace rlctl {

// Contains the first `most` rows.
nlohmann::ordered_json watch_json(const std::vector<WatchRow>& rows, const WatchStatus& status,
                                  std::size_t most);

}  // namespace rlctl
