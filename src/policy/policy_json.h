// A policy and rules as JSON, in logs. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "policy/policy.h"

namespace rlctl {

nlohmann::ordered_json policy_to_json(const Policy& policy);

// [{"kind": "bucket", "limit": 10, "window_us": 1000000, "capacity": 20}, …].
nlohmann::ordered_json rules_to_json(const Rules& rules);

}  // namespace rlctl
