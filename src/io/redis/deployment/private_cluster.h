// PrivateCluster: a Redis Cluster of our own for one run, on free ports of 127.0.0.1, with a random
// password and nothing on disk. It ends with rlctl (server_process.h).
//
// Error(Exit::target) if a server does not start, or if they do not become a cluster in time. It
// forks: make it on the main thread, before other threads exist.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/loop.h"
#include "io/redis/deployment/cluster_steering.h"
#include "io/redis/server_process.h"

namespace rlctl {

struct ClusterSize {
  int masters = 3;
  int replicas = 0;  // of all masters together
};

class PrivateCluster {
 public:
  // `program`: as in ServerProcess. Starts the servers.
  PrivateCluster(const std::string& program, ClusterSize size);

  // Makes them one cluster; to be called once.
  Task<> form(Loop& loop);

  // The first master.
  Endpoint endpoint() const { return endpoint_of(0); }
  // Masters first, then replicas.
  std::size_t size() const { return nodes_.size(); }
  Endpoint endpoint_of(std::size_t node) const { return nodes_[node]->tcp_endpoint(); }
  std::vector<Endpoint> endpoints() const;
  ServerProcess& node(std::size_t node) { return *nodes_[node]; }
  // After form(), on its loop.
  ClusterSteering& steering() { return *steering_; }

 private:
  Task<std::string> tell(std::size_t node, std::vector<std::string> words);
  Task<> assign_slots();
  Task<> meet();
  Task<> add_replicas(Loop& loop);
  using Answered = std::function<bool(const std::string& answer)>;
  Task<> wait_for(Loop& loop, std::size_t node, std::vector<std::string> question,
                  Answered answered);
  Task<> wait_for_state(Loop& loop, std::string words);
  Task<> wait_for_replicas(Loop& loop);

  ClusterSize size_;
  std::vector<std::unique_ptr<ServerProcess>> nodes_;
  std::unique_ptr<ClusterSteering> steering_;
};

// A port of 127.0.0.1 that is free now, and so is the one 10,000 above it (the cluster's bus).
std::uint16_t free_port_pair();

}  // namespace rlctl
