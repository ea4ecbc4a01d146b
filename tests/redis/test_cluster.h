// A private cluster for a test, with a connection to each node to control it. Reports failures by
// exceptions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/loop.h"
#include "io/redis/connection.h"
#include "io/redis/deployment/private_cluster.h"

namespace rlctl::test {

class TestCluster {
 public:
  explicit TestCluster(ClusterSize size);

  Loop& loop() { return loop_; }
  PrivateCluster& cluster() { return cluster_; }
  Endpoint endpoint(std::size_t node = 0) const { return cluster_.endpoint_of(node); }
  std::string url(std::size_t node = 0) const;

  // The node's reply, error replies included.
  Reply command(std::size_t node, std::vector<std::string> words);
  // The node that serves the slot of the key, by its own word: it sets the key there.
  std::size_t node_of(const std::string& key);
  // A replica is not in the map (CLUSTER SLOTS) before it has got a first byte of its master.
  void wait_until_replicas_are_listed();
  // Moves the slot of this key, with its keys, to another node: the first half of it, or both.
  void begin_migration(const std::string& key, std::size_t to);
  void end_migration(const std::string& key, std::size_t to);
  // Between the two halves: one key.
  void migrate_key(const std::string& key, std::size_t from, std::size_t to);
  // Ends the server of a node.
  void kill(std::size_t node) { cluster_.node(node).stop(); }

 private:
  Loop loop_;
  PrivateCluster cluster_;
  std::vector<std::unique_ptr<Connection>> steering_;
};

}  // namespace rlctl::test
