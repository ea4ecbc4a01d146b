// Aligned windows whose phase is not known: which phase speaks best for the limiter?
//
// A violation must be certain whatever the phase. As the phase goes once round the circle, each
// operation's two ends move into the window before exactly once, so the counts of all windows are
// kept up to date in 2n changes, and the least of their maximum and of their excess is found in O(n
// log n). (L + 1 admissions excuse exactly the phases that put an edge between them, in (min low,
// max high]; a phase that every such set excuses is one at which this maximum is at most L.)
#pragma once

#include <cstdint>
#include <vector>

#include "core/history.h"

namespace rlctl {

struct BestPhase {
  std::int64_t phase_us = 0;     // in the middle of the widest stretch with the least max_certain
  std::int64_t max_certain = 0;  // the least, over all phases, of what some window certainly holds
  std::int64_t excess = 0;       // the least, over all phases, of what is above the limit
};

BestPhase best_phase(const std::vector<Placement>& admitted, std::int64_t window_us,
                     std::int64_t limit);

}  // namespace rlctl
