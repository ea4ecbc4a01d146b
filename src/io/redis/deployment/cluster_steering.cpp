#include "io/redis/deployment/cluster_steering.h"

#include <fmt/format.h>

#include "base/error.h"
#include "io/clock.h"
#include "io/redis/command.h"
#include "io/redis/deployment/cluster_map.h"

namespace rlctl {
namespace {

constexpr std::int64_t kTakeOverTimeoutUs = 15'000'000;
constexpr std::int64_t kAskRoleUs = 10'000;
constexpr const char* kKeysAtOnce = "100";
constexpr const char* kMigrateTimeoutMs = "5000";
constexpr const char* kNoPassword = "its master refuses this";

}  // namespace

ClusterSteering::ClusterSteering(Loop& loop, std::vector<Endpoint> nodes)
    : loop_(loop), nodes_(std::move(nodes)) {
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    links_.push_back(std::make_unique<Connection>(loop));
}

Task<Reply> ClusterSteering::tell(std::size_t node, std::vector<std::string> words) {
  Connection& link = *links_[node];
  if (!link.is_open()) co_await link.connect(nodes_[node]);
  co_return co_await ask(link, encode_command(words));
}

Task<std::string> ClusterSteering::id_of(std::size_t node) {
  std::vector<std::string> question{"CLUSTER", "MYID"};
  Reply reply = co_await tell(node, std::move(question));
  co_return std::move(reply.text);
}

// This slot, or any. A node that does not answer serves nothing.
Task<bool> ClusterSteering::serves(std::size_t node, std::optional<std::uint16_t> slot) {
  try {
    std::vector<std::string> question{"CLUSTER", "SLOTS"};
    const Reply reply = co_await tell(node, std::move(question));
    const ClusterMap map = read_cluster_map(reply, nodes_[node].host);
    const std::uint16_t shard = map.find({nodes_[node].host, nodes_[node].port});
    co_return shard != ClusterMap::kNobody && (!slot || map.owner[*slot] == shard);
  } catch (const Error&) {
    co_return false;
  }
}

// A node that was just restarted may need a moment, and a link to the one before it is lost.
Task<std::optional<std::size_t>> ClusterSteering::first_that_serves(
    std::size_t from, std::size_t count, std::optional<std::uint16_t> slot) {
  constexpr int kAttempts = 20;
  constexpr std::int64_t kPauseUs = 100'000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) co_await loop_.until(now_us() + kPauseUs);
    for (std::size_t step = 0; step < count; ++step) {
      const std::size_t node = (from + step) % nodes_.size();
      const bool is_it = co_await serves(node, slot);
      if (is_it) co_return node;
    }
  }
  co_return std::nullopt;
}

Task<std::size_t> ClusterSteering::master_of(std::uint16_t slot) {
  const auto master = co_await first_that_serves(0, nodes_.size(), slot);
  if (master) co_return *master;
  throw Error(Exit::target, fmt::format("no node of the cluster serves the slot {}", slot),
              "let one fault end before the next begins");
}

Task<std::size_t> ClusterSteering::other_master(std::size_t master) {
  const auto other = co_await first_that_serves(master + 1, nodes_.size() - 1, std::nullopt);
  if (other) co_return *other;
  throw Error(Exit::target, "the cluster has no other master now",
              "let one fault end before the next begins");
}

// "master", or "slave" and what it follows: host, port, and how its connection is.
Task<std::vector<std::string>> ClusterSteering::role_of(std::size_t node) {
  std::vector<std::string> question{"ROLE"};
  const Reply reply = co_await tell(node, std::move(question));
  std::vector<std::string> words;
  for (const Reply& one : reply.elements)
    words.push_back(one.is_integer() ? std::to_string(one.integer) : one.text);
  co_return words;
}

Task<std::optional<std::size_t>> ClusterSteering::replica_of(std::size_t master) {
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    const std::vector<std::string> role = co_await role_of(node);
    const bool follows = role.size() > 3 && role[0] == "slave" && role[1] == nodes_[master].host &&
                         role[2] == std::to_string(nodes_[master].port) && role[3] == "connected";
    if (follows) co_return node;
  }
  co_return std::nullopt;
}

Task<> ClusterSteering::begin_move(std::uint16_t slot, std::size_t from, std::size_t to) {
  const std::string giver = co_await id_of(from);
  std::vector<std::string> importing{"CLUSTER", "SETSLOT", std::to_string(slot), "IMPORTING",
                                     giver};
  co_await tell(to, std::move(importing));
  const std::string taker = co_await id_of(to);
  std::vector<std::string> migrating{"CLUSTER", "SETSLOT", std::to_string(slot), "MIGRATING",
                                     taker};
  co_await tell(from, std::move(migrating));
}

Task<> ClusterSteering::move_key(std::string key, std::size_t from, std::size_t to) {
  const Endpoint& there = nodes_[to];
  std::vector<std::string> migrate{"MIGRATE", there.host,    std::to_string(there.port),
                                   key,       "0",           kMigrateTimeoutMs,
                                   "AUTH",    there.password};
  co_await tell(from, std::move(migrate));
}

// `to` first: otherwise nobody would serve the slot between the two.
Task<> ClusterSteering::end_move(std::uint16_t slot, std::size_t from, std::size_t to) {
  for (;;) {
    std::vector<std::string> question{"CLUSTER", "GETKEYSINSLOT", std::to_string(slot),
                                      kKeysAtOnce};
    const Reply keys = co_await tell(from, std::move(question));
    for (const Reply& key : keys.elements) co_await move_key(key.text, from, to);
    if (keys.elements.empty()) break;
  }
  const std::string owner = co_await id_of(to);
  for (const std::size_t node : {to, from}) {
    std::vector<std::string> done{"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", owner};
    co_await tell(node, std::move(done));
  }
}

// Its connection is cut, and its master refuses the next ones.
Task<> ClusterSteering::make_lag(std::size_t replica) {
  std::vector<std::string> forget{"CONFIG", "SET", "masterauth", kNoPassword};
  co_await tell(replica, std::move(forget));
  std::vector<std::string> cut{"CLIENT", "KILL", "TYPE", "master"};
  co_await tell(replica, std::move(cut));
}

Task<> ClusterSteering::wait_for_role(std::size_t node, std::string wanted) {
  const std::int64_t deadline_us = now_us() + kTakeOverTimeoutUs;
  for (;;) {
    const std::vector<std::string> role = co_await role_of(node);
    if (!role.empty() && role.front() == wanted) co_return;
    if (now_us() > deadline_us)
      throw Error(Exit::target, "the replica did not become the master within 15 s",
                  "is the machine overloaded? try again");
    co_await loop_.until(now_us() + kAskRoleUs);
  }
}

Task<> ClusterSteering::take_over(std::size_t replica, std::size_t master, bool asking) {
  std::vector<std::string> failover{"CLUSTER", "FAILOVER"};
  if (!asking) failover.emplace_back("TAKEOVER");
  co_await tell(replica, std::move(failover));
  co_await wait_for_role(replica, "master");
  co_await wait_for_role(master, "slave");
  std::vector<std::string> remember{"CONFIG", "SET", "masterauth", nodes_[replica].password};
  co_await tell(replica, std::move(remember));
}

void ClusterSteering::close() {
  for (const auto& link : links_) link->close("the cluster is left alone");
}

}  // namespace rlctl
