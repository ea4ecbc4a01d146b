// Is there one placement of all decisions that explains every admission and every denial?
//
// The order of the decisions and, where a rule leaves a choice, the way in which it answered are
// searched; the instants follow from bounds (instants.h). Two searches:
// - The first path is the likely one: admissions by the earliest deadline (EDF), a denial when it
//   must be explained, by the admissions that have to move least. It goes back only where a rule
//   left a real choice. It handles histories of any size; it may miss a placement.
// - All orders, where few decisions may have been made in another order (order_search.h). Of two
//   decisions of one kind and cost, the one whose range begins and ends first may go first:
//   swapping them changes nothing, unless a lease would then end later. So only ranges that contain
//   each other are tried in both orders. It is exact.
//
// Pure; one thread.
#pragma once

#include <vector>

#include "policy/rule.h"
#include "verdict/algorithm/feasibility.h"
#include "verdict/decision_sequence.h"

namespace rlctl {

struct SearchBudget {
  std::int64_t paths = 300;            // choices that the likely path goes back to
  std::int64_t decisions = 3'000'000;  // of all likely paths together, and four times the requests
};

// no: only if all orders were tried, of all decisions or of those up to some instant.
Schedulable find_placement(const Requests& requests, const Lanes& lanes, const JointFrame& frame,
                           const SearchBudget& budget = {});

}  // namespace rlctl
