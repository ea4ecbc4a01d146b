#include "io/redis/deployment/deployment.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "io/redis/command.h"
#include "io/redis/deployment/cluster_client.h"
#include "io/redis/deployment/sentinel.h"
#include "io/redis/reconnecting.h"

namespace rlctl {

Task<> Deployment::discover() {
  if (!endpoint_.sentinels.empty()) {
    source_ = std::make_shared<Sentinel>(loop_, endpoint_);
    co_return;
  }
  source_ = std::make_shared<FixedEndpoint>(endpoint_);
  topology_ = std::make_shared<ClusterTopology>(loop_, endpoint_);
  is_cluster_ = co_await topology_->discover();
  const bool must_be = endpoint_.cluster || !endpoint_.others.empty() || topology_->hides_its_map();
  if (!is_cluster_ && must_be) refuse_no_cluster();
}

void Deployment::refuse_no_cluster() const {
  const std::string& refusal = topology_->refusal();
  if (!refusal.empty())
    throw Error(Exit::target,
                "this user may not ask the cluster for its map: " + escape_for_terminal(refusal),
                "allow it: ACL SETUSER name +cluster|slots +cluster|info");
  if (!endpoint_.others.empty())
    throw Error(Exit::target,
                endpoint_.name() +
                    ": several addresses are nodes of one cluster, "
                    "but a single server answers",
                "give its address alone; for Sentinels write redis+sentinel://");
  throw Error(Exit::target, endpoint_.name() + " is not a node of a cluster",
              "leave out --cluster, or give the address of a node");
}

std::unique_ptr<RedisClient> Deployment::client(RedisClient::Notice notice) {
  if (is_cluster()) return std::make_unique<ClusterClient>(loop_, topology_, endpoint_.timeout_us);
  return std::make_unique<Reconnecting>(loop_, source_, std::move(notice));
}

std::unique_ptr<RedisClient> Deployment::client_of(const Endpoint& node) {
  return std::make_unique<Reconnecting>(loop_, node);
}

// The map has the addresses that the cluster wants to be asked at, but only nodes that can be asked
// for keys.
Task<Deployment::Nodes> Deployment::nodes(Redis& client) const {
  Nodes nodes;
  if (!is_cluster()) {
    nodes.all.push_back({endpoint_, false});
    co_return nodes;
  }
  const auto add = [&](const NodeAddress& address, bool is_replica) {
    nodes.all.push_back({topology_->endpoint_of(address), is_replica});
  };
  for (const ClusterShard& shard : topology_->map().shards) add(shard.master, false);
  for (const ClusterShard& shard : topology_->map().shards)
    for (const NodeAddress& replica : shard.replicas) add(replica, true);
  const auto is_known = [&](const std::string& host, std::uint16_t port) {
    return std::ranges::any_of(nodes.all, [&](const Node& node) {
      return node.endpoint.host == host && node.endpoint.port == port;
    });
  };
  Exchange answer;
  for (const RedisServer& server : client.servers()) {
    answer = co_await server.redis->send(encode_command("CLUSTER", "NODES"));
    if (answer.has_answer()) break;
  }
  if (!answer.has_answer()) nodes.unseen = answer.is_refused() ? answer.reply.text : answer.problem;
  for (const ClusterNode& node : read_cluster_nodes(answer.reply.text))
    if (!is_known(node.address.host, node.address.port) &&
        !is_known(node.hostname, node.address.port))
      add(node.address, node.is_replica);
  co_return nodes;
}

}  // namespace rlctl
