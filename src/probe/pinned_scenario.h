// What was found, as a scenario: bursts within a window and around its end, judged by the policy
// that was found, so that CI notices when the limiter changes. Pure.
#pragma once

#include <string>

#include "policy/target.h"
#include "probe/hypothesis.h"

namespace rlctl {

// A scenario file (JSON) for this service. Throws Error(Exit::inconclusive) for a kind that no
// policy describes.
std::string pinned_scenario(const Hypothesis& found, const TargetSpec& spec);

}  // namespace rlctl
