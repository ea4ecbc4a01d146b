// What each part of a scenario may say alone but not together with the others. Pure; what is wrong
// goes into the context's problems. The root is the file's, for the places.
#pragma once

#include "base/json_document.h"
#include "scenario/read/context.h"
#include "scenario/scenario.h"

namespace rlctl {

void check_scenario(const JsonValue& root, ScenarioContext& context);

// Error(Exit::usage) where a schedule would not fit into memory: before any of it is made.
void check_planned(const Scenario& scenario);

}  // namespace rlctl
