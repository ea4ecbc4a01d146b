// Checks the parts of a scenario against each other. Pure; errors are added to the context's
// problems. `root`: the whole file, for the places of errors.
#pragma once

#include "base/json_document.h"
#include "scenario/read/context.h"
#include "scenario/scenario.h"

namespace rlctl {

void check_scenario(const JsonValue& root, ScenarioContext& context);

// Error(Exit::usage) where a schedule would not fit into memory: before any of it is made.
void check_planned(const Scenario& scenario);

}  // namespace rlctl
