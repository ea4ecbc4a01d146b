// Reads the `phases` of a scenario file. Pure; errors are added to the context's problems.
#pragma once

#include "base/json_document.h"
#include "scenario/read/context.h"

namespace rlctl {

void read_phases(const JsonValue& value, const std::string& pointer, ScenarioContext& context);

}  // namespace rlctl
