// The requests that a scenario would send over HTTP, for `run --dry-run`: logins, methods, URLs and
// headers. Variables and captured values are shown by their names, other credentials are masked.
// Pure.
#pragma once

#include <string>

#include "scenario/scenario.h"

namespace rlctl {

// Lines, each with two blanks before it; empty if the target is not an HTTP service.
std::string request_plan_text(const Scenario& scenario);

}  // namespace rlctl
