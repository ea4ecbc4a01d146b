// What a policy would change for clients, compared with the one in force. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace rlctl {

// Those that the planned policy newly hits, then those that it frees; the worst first. Both plans
// tell clients apart in the same way.
std::vector<ClientChange> changes(const PolicyPlan& current, const PolicyPlan& planned);

// The rules of a file: the first policy of plan's JSON ({"policies": [{"policy": "100/1m"}]}), or
// of a scenario ({"policies": {"api": {"rules": "100/1m"}}}). Throws Error(Exit::usage) that names
// the file.
Rules current_rules(std::string_view json, const std::string& file);

}  // namespace rlctl
