// A policy that was chosen by a plan, as a scenario: the log's own worst hour is replayed against a
// limiter, so that CI proves the policy on it. Pure.
#pragma once

#include <string>

#include "log/record.h"
#include "plan/plan.h"

namespace rlctl {

// The requests of the hour with the most denials (without any: with the most requests), as stamped,
// under the names of the plan's clients. `arrivals` tells clients apart as `policy` does.
Log worst_hour(const Arrivals& arrivals, const PolicyPlan& policy);

// A scenario file (JSON) that replays `log_file`, a path relative to it. Throws Error(Exit::usage)
// if no shipped algorithm keeps such rules: the file would have to name one.
std::string replay_scenario(const PolicyPlan& policy, const std::string& log_file);

}  // namespace rlctl
