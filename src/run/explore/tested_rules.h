// Which rules an exploration can break at all. Whatever the limiter does, no more is admitted than
// is asked for, and while the other rules hold, fewer: a rule that no order of the requests can
// break was not tested. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "run/explore/space.h"

namespace rlctl {

// Why rules were not tested, and the options that test them; empty: all were. A rule that follows
// from another one needs no test.
std::string untested_rules(const ExploreRules& asked);

// The fewest clients, from `fewest` on, that test as many rules as `most` clients do.
std::size_t clients_to_test(ExploreRules asked, std::size_t fewest, std::size_t most);

}  // namespace rlctl
