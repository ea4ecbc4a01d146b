// Joint placements, tried literally: every instant, every order, every course that a rule allows,
// as a limiter of that rule would go through them. Shares no code with the judges in src/verdict.
// Only for a few operations at small times.
#pragma once

#include <vector>

#include "unit/verdict/brute_force.h"

namespace brute {

// Whether one placement keeps all rules and explains every denial. Of buckets: in parts of a µs, so
// that a token takes whole ones. A phase that is not known is tried throughout.
bool some_placement_explains(const Operations& operations, std::vector<Rule> rules);

}  // namespace brute
