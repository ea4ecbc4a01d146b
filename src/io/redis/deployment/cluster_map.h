// ClusterMap: which node of a Redis Cluster serves which slot, as one node told it. Plain data; any
// thread. read_cluster_map throws Error(Exit::target) for a reply that is not such a map.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/redis/deployment/hash_slot.h"
#include "io/redis/endpoint.h"
#include "io/redis/reply.h"

namespace rlctl {

// Reads "127.0.0.1:7000" as MOVED and ASK write it. A redirection without a host means the node
// that answered: `here`. The port is 0 if it can't be read.
NodeAddress read_node_address(std::string_view text, const std::string& here);

struct ClusterShard {
  NodeAddress master;
  std::vector<NodeAddress> replicas;
  int slots = 0;

  bool operator==(const ClusterShard&) const = default;
};

struct ClusterMap {
  static constexpr std::uint16_t kNobody = 0xffff;

  std::vector<ClusterShard> shards;           // by address
  std::array<std::uint16_t, kSlots> owner{};  // of each slot: an index of `shards`, or kNobody

  ClusterMap() { owner.fill(kNobody); }
  bool operator==(const ClusterMap&) const = default;

  int uncovered() const;
  // The shard of this master, or kNobody.
  std::uint16_t find(const NodeAddress& master) const;
};

// The reply to CLUSTER SLOTS (Redis 3 and later, and Valkey). `here`: the host that was asked; it
// stands for a node whose host the reply leaves out.
ClusterMap read_cluster_map(const Reply& slots, const std::string& here);

// One node, as CLUSTER NODES tells it: also one that serves no slot, and a replica that has not got
// its master's data yet.
struct ClusterNode {
  NodeAddress address;
  std::string hostname;  // empty: it announces none
  bool is_replica = false;
};

// The reply to CLUSTER NODES. Nodes whose address is not known are left out, and so are lines that
// can't be read: a newer Redis may add words.
std::vector<ClusterNode> read_cluster_nodes(std::string_view text);

// What the node that was asked for CLUSTER NODES says of its own slots: of others it knows later,
// and never which slots are open: whose keys move now to or from it.
struct OwnSlots {
  std::string served;  // as it writes them: "0-5460 7000"
  std::set<int> open;

  bool operator==(const OwnSlots&) const = default;
};
OwnSlots read_own_slots(std::string_view text);

}  // namespace rlctl
