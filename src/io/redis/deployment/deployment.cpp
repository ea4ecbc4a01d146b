#include "io/redis/deployment/deployment.h"

#include "base/error.h"
#include "base/escape.h"
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
  if (!is_cluster_ && endpoint_.cluster) refuse_no_cluster();
}

void Deployment::refuse_no_cluster() const {
  const std::string& refusal = topology_->refusal();
  if (refusal.empty())
    throw Error(Exit::target, endpoint_.name() + " is not a node of a cluster",
                "leave out --cluster, or give the address of a node");
  throw Error(Exit::target,
              "--cluster: this user may not ask for the map: " + escape_for_terminal(refusal),
              "allow it: ACL SETUSER name +cluster|slots +cluster|info");
}

std::unique_ptr<RedisClient> Deployment::client(RedisClient::Notice notice) {
  if (is_cluster()) return std::make_unique<ClusterClient>(loop_, topology_, endpoint_.timeout_us);
  return std::make_unique<Reconnecting>(loop_, source_, std::move(notice));
}

std::unique_ptr<RedisClient> Deployment::client_of(const Endpoint& node) {
  return std::make_unique<Reconnecting>(loop_, node);
}

std::vector<Deployment::Node> Deployment::nodes() const {
  if (!is_cluster()) return {{endpoint_, false}};
  std::vector<Node> nodes;
  for (const ClusterShard& shard : topology_->map().shards)
    nodes.push_back({topology_->endpoint_of(shard.master), false});
  for (const ClusterShard& shard : topology_->map().shards)
    for (const NodeAddress& replica : shard.replicas)
      nodes.push_back({topology_->endpoint_of(replica), true});
  return nodes;
}

}  // namespace rlctl
