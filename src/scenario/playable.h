// Whether rlctl may play a scenario's faults on its target. Pure.
#pragma once

#include <optional>

#include "base/error.h"
#include "policy/target.h"
#include "scenario/scenario.h"

namespace rlctl {

inline constexpr const char* kNoClientClock = "over HTTP the server decides, not rlctl's clients";
inline constexpr const char* kDecidingClients = "use an embedded or redis target";

// Why this fault can't be played on such a target; empty: it can, perhaps with --allow-faults.
std::optional<Error> why_not_played(const FaultRow& fault, TargetKind target);

// Whether the scenario disturbs a Redis that rlctl did not start, which the user must allow.
bool needs_permission(const Scenario& scenario);

// Error(Exit::usage) if a fault can't be played on the scenario's target, or disturbs a Redis that
// rlctl did not start and `allowed` is false.
void check_faults(const Scenario& scenario, bool allowed);

}  // namespace rlctl
