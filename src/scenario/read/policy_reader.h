// Reads the `policies` of a scenario file, and the policy members of other objects. Pure; errors
// are added to the context's problems.
#pragma once

#include "base/json_document.h"
#include "scenario/read/context.h"

namespace rlctl {

// Fills scenario.policies from an object that holds the policies by name.
void read_policies(const JsonValue& value, const std::string& pointer, ScenarioContext& context);

// Reads limit, window, key, block, block_key and capacity. The object may have other members.
void read_policy(ObjectFields& fields, Policy& policy);

}  // namespace rlctl
