// One placement of a key's history that keeps "N in flight" and explains every denial.
//
// First the likely ones: everybody ends as late as possible, and early only to make room. That
// fills the slots, which is what denials need. Requests are admitted as late as possible, or at
// once. If both fail, all orders of the events are tried, for few of them. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "verdict/algorithm/feasibility.h"
#include "verdict/history.h"

namespace rlctl {

// An admission that was decided in [low_us, high_us] and ended in [from_us, to_us], at least
// `least_us` after its decision, or by the end of its lease, which comes `lease_from_us` to
// `lease_to_us` after it. `may_be_none`: perhaps it never happened.
struct HeldRange {
  std::int64_t low_us = 0;
  std::int64_t high_us = 0;
  std::int64_t from_us = 0;
  std::int64_t to_us = kOpenEnd;
  std::int64_t cost = 1;
  std::int64_t least_us = 0;
  std::int64_t lease_from_us = kOpenEnd;
  std::int64_t lease_to_us = kOpenEnd;
  bool may_be_none = false;
};

// `denials`: those that need an explanation. no: only if all orders were tried.
Schedulable place_in_flight(const std::vector<HeldRange>& holds,
                            const std::vector<Placement>& denials, std::int64_t limit);

}  // namespace rlctl
