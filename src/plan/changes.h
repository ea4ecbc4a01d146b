// What a policy would change for clients, compared with the one in force. Pure.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace rlctl {

// Those that the planned policy newly hits, then those that it frees; the worst first. Both plans
// tell clients apart in the same way.
std::vector<ClientChange> changes(const PolicyPlan& current, const PolicyPlan& planned);

}  // namespace rlctl
