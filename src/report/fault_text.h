// What each fault of a scenario is to do, and what it did in a run, in words. Pure.
#pragma once

#include <string>
#include <string_view>

#include "scenario/scenario_result.h"

namespace rlctl {

// Two or three lines for each, after the indent: "fault redis_restart at 2.00 s, …". Empty without
// faults.
std::string fault_text(const Scenario& scenario, const ScenarioResult& result,
                       std::string_view indent = {});

// A line for each that is planned: "  fault redis_restart at load+2s, for 500ms".
std::string fault_plan_text(const Scenario& scenario);

}  // namespace rlctl
