// Which rules an exploration can break at all. Whatever the limiter does, no more is admitted than
// is asked for, and while the other rules hold, fewer: a rule that no order of the requests can
// break was not tested. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "run/explore/space.h"

namespace rlctl {

// Of each rule that was not tested: why, and the options that test it; empty: all were. A rule that
// another one implies needs no test.
std::vector<std::string> untested_rules(ExploreRules asked);

// Those that need no test, in words.
std::vector<std::string> implied_rules(const Rules& rules);

// The fewest clients, from `fewest` on, that test as many rules as `most` clients do.
std::size_t clients_to_test(ExploreRules asked, std::size_t fewest, std::size_t most);

}  // namespace rlctl
