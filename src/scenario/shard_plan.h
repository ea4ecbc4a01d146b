// Checks a scenario that several machines play together: each machine must know, without asking the
// others, when each phase begins and which requests it sends. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scenario/scenario.h"

namespace rlctl {

// The time from the phase's time 0 to its last request; empty if it depends on the answers.
std::optional<std::int64_t> planned_length_us(const Phase& phase);

// Throws Error(Exit::usage) if the parts cannot form one run.
void check_shard(const Scenario& scenario);
// The same for parts that threads of one machine play. They agree on when a phase begins.
void check_threads(const Scenario& scenario, std::int64_t threads);

// The run id, equal for all parts because keys contain it. Computed from the plan, the number of
// parts and the start: a machine that was told another plan plays another run.
std::string shared_run_id(const Scenario& scenario);

}  // namespace rlctl
