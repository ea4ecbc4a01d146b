#include "scenario/scenario.h"

#include <algorithm>

namespace rlctl {

std::int64_t most_connections(const Scenario& scenario) {
  std::int64_t most = 0;
  for (const Phase& phase : scenario.phases) {
    const std::size_t targets = scenario.policies[phase.policy].targets.size();
    const std::int64_t users = std::max({phase.users, phase.consumers, phase.connections});
    most = std::max(most, users * std::max<std::int64_t>(1, static_cast<std::int64_t>(targets)));
  }
  return most;
}

}  // namespace rlctl
