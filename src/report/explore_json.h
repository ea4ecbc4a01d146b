// The result of an exploration, as the body of one JSON object (schema rlctl.explore/1). Counts of
// schedules above 2^53 are strings of digits. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "verdict/explore_result.h"

namespace rlctl {

nlohmann::ordered_json explore_json(const ExploreResult& result);

}  // namespace rlctl
