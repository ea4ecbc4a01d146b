#include "scenario/scenario.h"

#include <algorithm>

namespace rlctl {

MostConnections most_connections(const Scenario& scenario, std::int64_t threads) {
  MostConnections most;
  for (const Phase& phase : scenario.phases) {
    const std::size_t named = scenario.policies[phase.policy].targets.size();
    const auto targets = static_cast<std::int64_t>(std::max<std::size_t>(1, named));
    const std::int64_t users = std::max({phase.users, phase.consumers, phase.connections});
    most.needed = std::max(most.needed, users * targets);
    const auto open_loop = static_cast<std::int64_t>(kMostOpenLoopUsers) * threads;
    most.possible = std::max(most.possible, (users > 0 ? users : open_loop) * targets);
  }
  return most;
}

}  // namespace rlctl
