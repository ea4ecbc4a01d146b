// Checks the parts of a scenario against each other. Pure; errors are added to the context's
// problems. `root`: the whole file, for the places of errors.
#pragma once

#include "base/json_document.h"
#include "scenario/read/context.h"
#include "scenario/scenario.h"

namespace rlctl {

void check_scenario(const JsonValue& root, ScenarioContext& context);

// Throws Error(Exit::usage) if the schedule would not fit into memory. Call it before building the
// schedule.
void check_planned(const Scenario& scenario);

}  // namespace rlctl
