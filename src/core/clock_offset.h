// How far the limiter's clock is from ours. A stamp t taken inside [sent, received] says
// t - received <= offset <= t - sent; over a run these intervals are intersected (the argument of
// Cristian, "Probabilistic clock synchronization", 1989). An empty intersection proves that a clock
// stepped or drifted, and by how much at least.
#pragma once

#include <cstdint>

#include "core/record.h"

namespace rlctl {

struct ClockOffset {
  std::int64_t stamps = 0;  // records that had one; 0: low and high mean nothing
  std::int64_t low_us = 0;
  std::int64_t high_us = 0;
  std::int64_t step_us = 0;  // low - high where the intersection is empty, else 0

  bool usable() const { return stamps > 0 && step_us == 0; }
};

// `grain_us`: how coarse the stamps are. Each of the three times was cut to whole µs, so two true
// bounds may miss each other by one; that much is never called a step.
ClockOffset clock_offset(const Log& log, std::int64_t grain_us = 1);

}  // namespace rlctl
