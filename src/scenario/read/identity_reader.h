// The `identities` of a scenario file. Pure; mistakes go into the context's problems.
#pragma once

#include "base/json_document.h"
#include "scenario/read/context.h"

namespace rlctl {

void read_identities(const JsonValue& value, const std::string& pointer, ScenarioContext& context);

}  // namespace rlctl
