// What each fault of a run did, in words. Pure.
#pragma once

#include <string>
#include <string_view>

#include "scenario/scenario_result.h"

namespace rlctl {

// Two or three lines for each, after the indent: "fault redis_restart at 2.00 s, …". Empty without
// faults.
std::string fault_text(const Scenario& scenario, const ScenarioResult& result,
                       std::string_view indent = {});

}  // namespace rlctl
