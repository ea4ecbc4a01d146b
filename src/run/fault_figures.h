// What each fault of a run did: the decisions while it lasted and until they were right again, and
// whether anything was admitted afterwards. Pure; judges the log once more for each fault.
#pragma once

#include "scenario/scenario_result.h"

namespace rlctl {

// Fills the figures of result.faults from the logs of its policies.
void add_fault_figures(const Scenario& scenario, ScenarioResult& result);

}  // namespace rlctl
