// Played scenarios as JSON: one entry of "rlctl.run/1" for each (README). Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "scenario/scenario.h"
#include "scenario/scenario_result.h"

namespace rlctl {

nlohmann::ordered_json scenario_json(const Scenario& scenario, const ScenarioResult& result);

// Adds the phase's times and counts.
void put_phase_counts(nlohmann::ordered_json& json, const PhaseResult& phase);

}  // namespace rlctl
