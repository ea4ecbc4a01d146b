// The `policies` of a scenario file, and what one of them says about its policy. Pure; what is
// wrong goes into the context's problems.
#pragma once

#include "base/json_document.h"
#include "scenario/read/context.h"

namespace rlctl {

// Fills scenario.policies from an object of them by name.
void read_policies(const JsonValue& value, const std::string& pointer, ScenarioContext& context);

// limit, window, key, block, block_key and capacity of an object that may hold more than these.
void read_policy(ObjectFields& fields, Policy& policy);

}  // namespace rlctl
