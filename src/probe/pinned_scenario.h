// What was found, as a scenario: bursts within a window and around its end, judged by the policy
// that was found, so that CI notices when the limiter changes. It sends the request that was
// examined. What looks like a secret becomes a variable of the environment. Pure.
#pragma once

#include <string>
#include <vector>

#include "policy/target.h"
#include "probe/hypothesis.h"

namespace rlctl {

struct PinnedScenario {
  std::string text;                    // a scenario file (JSON)
  std::vector<std::string> variables;  // that it needs
};

// Throws Error(Exit::inconclusive) for a kind that no policy describes.
PinnedScenario pinned_scenario(const Hypothesis& found, const TargetSpec& spec);

}  // namespace rlctl
