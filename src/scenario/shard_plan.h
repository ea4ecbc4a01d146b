// What must hold for a scenario that several machines play together: each of them has to know,
// without asking the others, when each phase begins and which requests are its own. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scenario/scenario.h"

namespace rlctl {

// From its time 0 to its last request; empty where only the answers tell.
std::optional<std::int64_t> planned_length_us(const Phase& phase);

// Error(Exit::usage) where the parts could not be one run.
void check_shard(const Scenario& scenario);

// The same for all parts, since keys are named by it: of name, seed and start.
std::string shared_run_id(const Scenario& scenario);

}  // namespace rlctl
