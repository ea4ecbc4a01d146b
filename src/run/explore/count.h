// Counts the schedules over the states, not one by one: the number of schedules from a state to the
// end is the sum over its possible next steps. Exact up to 2^128 - 1; larger counts stay there.
// Borrows the search, which must have been exhaustive. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "run/explore/search.h"
#include "verdict/outcome/explore_result.h"

namespace rlctl {

// Judges a final state.
using EndJudge = std::function<ScheduleCounts(ExploreSpace::State)>;

// By preemptions: element n counts the schedules with n preemptions. By nothing: one element for
// all schedules, which takes far less memory.
enum class CountBy : std::uint8_t { preemptions, nothing };
std::vector<ScheduleCounts> count_schedules(ExploreSearch& search, const ExploreSpace& space,
                                            const EndJudge& judge, CountBy by);

}  // namespace rlctl
