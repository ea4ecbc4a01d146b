// ClusterTopology: the map of a Redis Cluster, kept up to date for all clients of a run.
//
// Any node can tell the map. After a doubt (a redirection, a lost connection) it is asked for again
// until nothing is in doubt: at once, then at kPauseUs. A node that lags (a master that was cut off
// does not know that it was replaced) is not believed: its epoch is lower than one that was seen.
// Owns one connection, not the loop. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/loop.h"
#include "io/redis/connection.h"
#include "io/redis/deployment/cluster_map.h"
#include "io/redis/endpoint.h"

namespace rlctl {

class ClusterTopology {
 public:
  static constexpr std::int64_t kPauseUs = 100'000;

  // `seed`: any node, and others to ask if it is away. Its user, password, TLS settings and
  // time-out apply to all nodes.
  ClusterTopology(Loop& loop, Endpoint seed) : loop_(loop), seed_(std::move(seed)), probe_(loop) {}

  // The first map. False if the seed is not a node of a cluster; Error(Exit::target) if it can't be
  // asked, or is a node of a cluster without slots.
  Task<bool> discover();
  // Why the seed did not say whether it is a node of a cluster (its user may not ask); else empty.
  const std::string& refusal() const { return refusal_; }
  // The seed told otherwise that it is a node of a cluster: without its map, most keys are not
  // seen.
  bool hides_its_map() const { return hides_its_map_; }

  const ClusterMap& map() const { return map_; }
  std::uint64_t version() const { return version_; }  // grows with every change of the map
  // Called after every change of the map, as long as the caller keeps it.
  using Follower = std::function<void()>;
  [[nodiscard]] std::shared_ptr<Follower> followed_by(Follower follower);

  // The connection to a node: the seed's settings, the node's address.
  Endpoint endpoint_of(const NodeAddress& node) const;

  // The map may be old: ask for it soon. Clients that need a change check version().
  void doubt();
  // Asks now; keeps the map if no node answers.
  Task<> refresh();
  // A node told that a slot has moved: known before the whole map is.
  void learn(std::uint16_t slot, const NodeAddress& master);

 private:
  Task<> keep();
  Task<bool> ask(Endpoint node);
  Task<Reply> ask_seed();
  Task<Reply> ask_seeds();
  Task<bool> seed_says_it_is_a_node();
  void adopt(ClusterMap map);
  void tell_change();
  std::vector<Endpoint> nodes_to_ask() const;

  Loop& loop_;
  Endpoint seed_;
  Connection probe_;
  ClusterMap map_;
  std::uint64_t version_ = 0;
  std::vector<std::weak_ptr<Follower>> followers_;
  std::int64_t epoch_ = 0;
  std::string refusal_;
  bool hides_its_map_ = false;
  std::string answered_;  // the name of the node that told the map last
  bool in_doubt_ = false;
  bool keeping_ = false;
  bool asking_ = false;  // probe_ is in use
  Task<> keeper_;        // last member, so it is destroyed first
};

}  // namespace rlctl
