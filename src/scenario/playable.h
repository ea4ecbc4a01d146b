// Whether rlctl may play a scenario's faults on its target, at their times, and beside each other,
// and whether its traffic ends. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

// "redis_restart at load+2s".
std::string in_words(const Scenario& scenario, const Fault& fault);

// Why a fault at that moment would show nothing: all requests are planned for before it. Empty:
// they are not, or nobody knows.
std::optional<Error> why_too_late(const Scenario& scenario, const Moment& moment);

// "a request costs 6, but the limit is 5": a limiter that keeps these rules never admits it. Empty:
// it may.
std::string above_limit(const Rules& rules, std::int64_t cost);

// Whether clients send a request again until it is admitted, however long that takes.
bool retries_without_end(const Phase& phase);

// Whether one of them can't be played while the other lasts: it would undo what the other did, or
// needs the Redis that is gone. A cluster has others, which may answer.
bool excludes(const FaultRow& one, const FaultRow& other, bool is_cluster);

// Error(Exit::usage) names two faults of which one is planned for while the other lasts, though
// that excludes it. What nobody knows before the run is not refused.
void check_faults_together(const Scenario& scenario, bool is_cluster);

}  // namespace rlctl
