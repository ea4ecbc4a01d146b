// The progress line (cli/output/progress.h) of a scenario that is being played. Pure; escaped.
#pragma once

#include <cstdint>
#include <string>

#include "run/scenario_run.h"

namespace rlctl {

// "burst: 12s of 58s, 20 %, 46s left, 1,234 decisions".
std::string scenario_progress_line(const ScenarioProgress& progress, std::int64_t elapsed_us);

}  // namespace rlctl
