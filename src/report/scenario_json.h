// Played scenarios as JSON: one entry of "rlctl.run/1" for each (README). Pure.
#pragma once

#include <nlohmann/json.hpp>

#include "scenario/scenario.h"
#include "scenario/scenario_result.h"

namespace rlctl {

nlohmann::ordered_json scenario_json(const Scenario& scenario, const ScenarioResult& result);

}  // namespace rlctl
