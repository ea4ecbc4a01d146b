// ClusterClient: a Redis Cluster as one Redis.
//
// It has one connection to every node that serves slots, and sends each command where its key lives
// (command_route.h). It follows MOVED and ASK, and repeats what a node refused with TRYAGAIN or
// CLUSTERDOWN until the time-out: none of these was run (Redis Cluster specification, "Redirection
// and resharding"). A search of all keys (SCAN) goes from node to node; its cursor is
// "host:port/cursor".
//
// Owns its connections; shares the topology with other clients. Failures are states of an Exchange,
// except in connect(). One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/errands.h"
#include "io/loop.h"
#include "io/redis/deployment/cluster_topology.h"
#include "io/redis/deployment/command_route.h"
#include "io/redis/deployment/redirection.h"
#include "io/redis/reconnecting.h"
#include "io/redis/redis_client.h"

namespace rlctl {

class ClusterClient final : public RedisClient {
 public:
  ClusterClient(Loop& loop, std::shared_ptr<ClusterTopology> topology, std::int64_t timeout_us)
      : loop_(loop), topology_(std::move(topology)), timeout_us_(timeout_us) {}

  // Error(Exit::target) if no master can be reached.
  Task<> connect() override;
  bool is_open() const override;
  std::string unseen() const override;

  void start(Exchange& exchange, std::string_view wire) override;
  void settle_on(std::string_view key) override;
  std::vector<RedisServer> servers() override;

 private:
  Reconnecting& link_to(const NodeAddress& node);
  Reconnecting& serving(std::uint16_t slot);
  void follow_map();
  bool take_over(Exchange& exchange, const std::string& here);
  Task<> chase(Exchange& exchange, std::string here);
  Task<Exchange> send_to(Redirection place, std::uint16_t slot, std::string_view wire,
                         std::int64_t deadline_us);
  Task<> carry_out(Exchange& exchange, CommandRoute route, std::string wire);
  Task<std::vector<Exchange>> ask_each(std::string wire);
  Task<Exchange> scan(std::string wire);
  Task<std::string> scan_position(std::string cursor);
  std::string after_node(const std::string& node) const;
  Task<> end_scan();
  struct Placement {
    std::map<std::string, OwnSlots> slots;  // of each master that answered
    std::string refusal;                    // this user may not ask
    bool operator==(const Placement&) const = default;
  };
  Task<Placement> ask_placement();
  std::string unseen_for_moves() const;
  void finish(Exchange& exchange, Exchange& answer);

  Loop& loop_;
  std::shared_ptr<ClusterTopology> topology_;
  std::int64_t timeout_us_;
  std::map<NodeAddress, std::unique_ptr<Reconnecting>> links_;
  std::vector<Reconnecting*> serving_;  // by the number of the shard
  std::uint64_t version_ = 0;           // of the map that serving_ follows
  std::shared_ptr<ClusterTopology::Follower> follower_;
  Reconnecting* settled_ = nullptr;
  std::vector<std::string> silent_;  // nodes that the search could not ask
  // Where slots were when the search began and when it ended: keys that moved between the two may
  // have been missed.
  Placement before_, after_;
  Errands errands_;  // last member, so they are destroyed first
};

}  // namespace rlctl
