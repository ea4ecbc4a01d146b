// The result of a phase as JSON: the same fields in every report. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "scenario/scenario_result.h"

namespace rlctl {

// Adds the phase's times and counts.
void put_phase_counts(nlohmann::ordered_json& json, const PhaseResult& phase);

}  // namespace rlctl
