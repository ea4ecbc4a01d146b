// How many schedules there are, counted over the states and not one by one: the number of ways
// from a state to the end is the sum over what can happen next. Exact up to 2^128 - 1, where it
// stays. Borrows the search, which must have been exhaustive. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/explore_result.h"
#include "run/explore_search.h"

namespace rlctl {

// Judges a final state.
using EndJudge = std::function<ScheduleCounts(ExploreSpace::State)>;

// The n-th: schedules with n preemptions. Or all in one, which takes far less memory.
enum class CountBy : std::uint8_t { preemptions, nothing };
std::vector<ScheduleCounts> count_schedules(ExploreSearch& search, const ExploreSpace& space,
                                            const EndJudge& judge, CountBy by);

}  // namespace rlctl
