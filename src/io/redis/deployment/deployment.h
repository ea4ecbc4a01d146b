// Deployment: what stands behind an endpoint, a single server, a cluster, or the master that
// Sentinels name, found out by discover(); and the clients of it, which share what was found.
//
// Borrows the loop. Must live as long as its clients are being made, not longer. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/loop.h"
#include "io/redis/deployment/cluster_topology.h"
#include "io/redis/endpoint.h"
#include "io/redis/endpoint_source.h"
#include "io/redis/redis_client.h"

namespace rlctl {

class Deployment {
 public:
  Deployment(Loop& loop, Endpoint endpoint) : loop_(loop), endpoint_(std::move(endpoint)) {}

  // Connects once. Error(Exit::target) if nothing answers there, or if it is not the cluster that
  // the endpoint insists on.
  Task<> discover();

  // Not connected yet; to be called after discover().
  std::unique_ptr<RedisClient> client(RedisClient::Notice notice = {});

  // A client of one node only, to be used as above.
  std::unique_ptr<RedisClient> client_of(const Endpoint& node);

  // Every node, replicas too; the endpoint itself if it is no cluster.
  struct Node {
    Endpoint endpoint;
    bool is_replica = false;
  };
  struct Nodes {
    std::vector<Node> all;
    std::string unseen;  // why some may be missing: CLUSTER NODES has no answer
  };
  // `client`: connected.
  Task<Nodes> nodes(Redis& client) const;

  const Endpoint& endpoint() const { return endpoint_; }
  bool is_cluster() const { return is_cluster_; }
  // Of a cluster.
  const ClusterTopology& topology() const { return *topology_; }

 private:
  [[noreturn]] void refuse_no_cluster() const;

  Loop& loop_;
  Endpoint endpoint_;
  // Also asked for a single server: its connection must outlive the coroutine that it resumes.
  std::shared_ptr<ClusterTopology> topology_;
  bool is_cluster_ = false;
  std::shared_ptr<EndpointSource> source_;
};

}  // namespace rlctl
