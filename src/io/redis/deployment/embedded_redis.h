// EmbeddedRedis: the private Redis of one run: a single server, or a cluster. Plain ownership of
// ServerProcess and PrivateCluster; fails as they do. Main thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/loop.h"
#include "io/redis/deployment/private_cluster.h"
#include "io/redis/server_process.h"

namespace rlctl {

struct EmbeddedSpec {
  std::string program;                 // as in ServerProcess
  std::optional<ClusterSize> cluster;  // without: a single server
};

// "single", "cluster:3" (masters), "cluster:3+3" (masters and replicas). Error(Exit::usage) names
// `where`.
std::optional<ClusterSize> parse_embedded(std::string_view text, std::string_view where);

class EmbeddedRedis {
 public:
  // Starts the servers.
  explicit EmbeddedRedis(const EmbeddedSpec& spec);
  // To be awaited once before the endpoint is used.
  Task<> get_ready(Loop& loop);

  Endpoint endpoint() const;
  std::size_t nodes() const { return cluster_ ? cluster_->size() : 1; }
  // Null: a single server.
  PrivateCluster* cluster() { return cluster_ ? &*cluster_ : nullptr; }
  ServerProcess& node(std::size_t index) { return cluster_ ? cluster_->node(index) : *single_; }

 private:
  std::optional<ServerProcess> single_;
  std::optional<PrivateCluster> cluster_;
};

}  // namespace rlctl
