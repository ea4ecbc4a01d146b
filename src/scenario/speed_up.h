// A scenario in less time: windows, blocks and schedules divided, so that an hour's window can be
// tried on the wall clock where the virtual one will not do. Gaps below a second stay as they are:
// a double click is a double click, and a burst just before an edge stays just before it. Pure.
#pragma once

#include "scenario/scenario.h"

namespace rlctl {

// Divides by scenario.speed, which is 1 afterwards. Error(Exit::usage) where a window would get
// shorter than a millisecond.
Scenario sped_up(Scenario scenario);

}  // namespace rlctl
