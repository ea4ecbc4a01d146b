// Finds, for aligned windows with an unknown phase, the phase that is best for the limiter. Pure.
//
// A violation must be certain for every phase. When the phase goes once around the circle, each of
// an operation's two ends moves into the previous window exactly once. So 2n changes keep the
// counts of all windows up to date, and the least of their maximum and of their excess is found in
// O(n log n). (L + 1 admissions excuse exactly the phases that put an edge between them, in (min
// low, max high]. A phase that every such set excuses is a phase at which this maximum is at most
// L.)
#pragma once

#include <cstdint>
#include <vector>

#include "core/history.h"

namespace rlctl {

struct BestPhase {
  std::int64_t phase_us = 0;     // the middle of the widest range with the least max_certain
  std::int64_t max_certain = 0;  // over all phases, the least maximum of a window's certain count
  std::int64_t excess = 0;       // over all phases, the least sum above the limit
};

BestPhase best_phase(const std::vector<Placement>& admitted, std::int64_t window_us,
                     std::int64_t limit);

}  // namespace rlctl
