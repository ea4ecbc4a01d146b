#include "run/target.h"

#include <algorithm>

#include "io/http/http_client.h"
#include "run/redis_target.h"

namespace rlctl {
namespace {

// What these users need at least. The server may allow fewer requests on a connection of HTTP/2,
// and the manifest of a script may say that it runs step by step.
std::int64_t connections_needed(TargetKind kind, const PolicySpec& policy, TargetSpec target,
                                std::int64_t users) {
  const bool in_redis = kind == TargetKind::embedded || kind == TargetKind::redis;
  const bool alone = policy.run == RunChoice::client || policy.wait.replicas > 0;
  if (in_redis) return alone ? users : std::min(users, RedisTarget::kSharedConnections);
  if (!policy.targets.empty()) target.url = policy.targets.front();
  const bool http2 = target.http2 || is_rls(target.url);
  if (!http2 || has_addresses_of_clients(target)) return users;
  return (users + HttpPool::kUsersPerClient - 1) / HttpPool::kUsersPerClient;
}

}  // namespace

const HeaderClaims* Target::claims(const std::string&) const { return nullptr; }

Task<> Target::admit(PolicyPlay&, std::span<const Identity>) { co_return; }

MostConnections most_connections(const Scenario& scenario, std::int64_t threads) {
  const TargetKind kind = scenario.target.kind;
  const auto open_loop = static_cast<std::int64_t>(kMostOpenLoopUsers) * threads;
  MostConnections most;
  for (const Phase& phase : scenario.phases) {
    const PolicySpec& policy = scenario.policies[phase.policy];
    const TargetSpec& target = policy.route ? *policy.route : scenario.target;
    // The other ends are here too if the server is ours.
    const std::int64_t ends = kind == TargetKind::serve ? 2 : 1;
    const std::int64_t each = std::max<std::int64_t>(1, std::ssize(policy.targets)) * ends;
    const std::int64_t users = std::max({phase.users, phase.consumers, phase.connections});
    most.needed = std::max(most.needed, connections_needed(kind, policy, target, users) * each);
    most.possible += (users > 0 ? users : open_loop) * each;
  }
  return most;
}

}  // namespace rlctl
