// A played pattern as JSON ("rlctl.simulate/1", README): the verdict in the form of verify, and
// what was played. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include "scenario/scenario.h"
#include "scenario/scenario_result.h"

namespace rlctl {

nlohmann::ordered_json simulate_json(const Scenario& scenario, const ScenarioResult& result);

}  // namespace rlctl
