// Shortens a scenario: divides windows, blocks and schedules, so that a window of one hour can be
// tested on the wall clock if the virtual clock is not enough. Gaps below a second do not change: a
// double click stays a double click, and a burst just before an edge stays just before it. Pure.
#pragma once

#include "scenario/scenario.h"

namespace rlctl {

// Divides by scenario.speed, which is 1 afterwards. Throws Error(Exit::usage) if a window would
// become shorter than a millisecond.
Scenario sped_up(Scenario scenario);

}  // namespace rlctl
