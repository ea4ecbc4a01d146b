// The offset between the limiter's clock and ours. Stamps from <= to, taken inside [sent,
// received], prove to - received <= offset <= from - sent. The intervals of a whole run are
// intersected (Cristian, "Probabilistic clock synchronization", 1989). An empty intersection proves
// that a clock stepped or drifted, and by how much at least.
//
// The nodes of a cluster have clocks of their own. All decisions on one key are one node's, so each
// key of such a log has an offset of its own.
#pragma once

#include <cstdint>
#include <span>

#include "log/record.h"

namespace rlctl {

struct ClockOffset {
  std::int64_t stamps = 0;  // records that have one; 0: low_us and high_us are not set
  std::int64_t low_us = 0;
  std::int64_t high_us = 0;
  std::int64_t step_us = 0;    // low - high if the intersection is empty, else 0
  std::int64_t widest_us = 0;  // the longest time between the two stamps of one decision
  // Of several servers: keys whose clock stepped, or that went on at another server; and by how
  // much the clocks of the others are apart at least: those of these two keys.
  std::int64_t stepped_keys = 0;
  std::int64_t apart_us = 0;
  std::uint32_t ahead_key = 0;
  std::uint32_t behind_key = 0;

  bool usable() const { return stamps > 0 && step_us == 0 && stepped_keys == 0; }
};

// `grain_us`: the resolution of the stamps. Each of the three times was rounded down to whole µs,
// so two true bounds may differ by 1 µs. So little is never reported as a step.
ClockOffset clock_offset(const Log& log, std::int64_t grain_us = 1);

// Of these records alone.
ClockOffset clock_offset(const Log& log, std::span<const std::uint32_t> records,
                         std::int64_t grain_us);

}  // namespace rlctl
