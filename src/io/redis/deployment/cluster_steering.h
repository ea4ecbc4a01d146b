// ClusterSteering: what the operator of a cluster does to it: a slot moves, a replica takes over.
// Nodes are numbers: places in the list that it was made with.
//
// Owns a connection to each node, made when it is needed and again when it was cut. Error
// (Exit::target) if a node can't be reached or refuses. One thread, and one task at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/loop.h"
#include "io/redis/connection.h"
#include "io/redis/endpoint.h"

namespace rlctl {

class ClusterSteering {
 public:
  ClusterSteering(Loop& loop, std::vector<Endpoint> nodes);

  Task<Reply> tell(std::size_t node, std::vector<std::string> words);

  // By its own word, because others hear of a change later.
  Task<std::size_t> master_of(std::uint16_t slot);
  // The next node after it that has slots.
  Task<std::size_t> other_master(std::size_t master);
  // Empty: it has none that follows it.
  Task<std::optional<std::size_t>> replica_of(std::size_t master);

  // Moves a slot with its keys, in two halves: between them `from` answers for the keys that it
  // has, and sends who asks for others to `to` (Redis Cluster specification, "Resharding").
  Task<> begin_move(std::uint16_t slot, std::size_t from, std::size_t to);
  Task<> end_move(std::uint16_t slot, std::size_t from, std::size_t to);
  // Between the two: one key of the slot.
  Task<> move_key(std::string key, std::size_t from, std::size_t to);

  // A replica no longer hears its master, until it has become one.
  Task<> make_lag(std::size_t replica);
  // Returns when both know that it is the master. `asking`: its master waits for it, so that
  // nothing is lost; otherwise at once, with what the replica has.
  Task<> take_over(std::size_t replica, std::size_t master, bool asking);

  // What is in flight is lost.
  void close();

 private:
  Task<std::string> id_of(std::size_t node);
  // Of `count` nodes, beginning with this one. Empty: none within 2 s.
  Task<std::optional<std::size_t>> first_that_serves(std::size_t from, std::size_t count,
                                                     std::optional<std::uint16_t> slot);
  Task<bool> serves(std::size_t node, std::optional<std::uint16_t> slot);
  Task<std::vector<std::string>> role_of(std::size_t node);
  Task<> wait_for_role(std::size_t node, std::string role);

  Loop& loop_;
  std::vector<Endpoint> nodes_;
  std::vector<std::unique_ptr<Connection>> links_;
};

}  // namespace rlctl
