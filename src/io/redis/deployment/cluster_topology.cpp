#include "io/redis/deployment/cluster_topology.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "io/clock.h"
#include "io/redis/command.h"
#include "io/redis/redis_error.h"
#include "io/redis/server_info.h"

namespace rlctl {
namespace {

// A node that is hung must not hold up the question for the others.
constexpr std::int64_t kLongestAnswerUs = 500'000;
constexpr std::int64_t kTurnUs = 1'000;

// The epoch grows with every failover. 0: this user may not ask.
std::int64_t epoch_in(const Exchange& info) {
  if (!info.has_answer()) return 0;
  return std::atoll(info_field(info.reply.text, "cluster_current_epoch").c_str());
}

}  // namespace

Endpoint ClusterTopology::endpoint_of(const NodeAddress& node) const {
  Endpoint endpoint = seed_;
  endpoint.unix_path.clear();
  endpoint.host = node.host;
  endpoint.port = node.port;
  endpoint.others.clear();
  return endpoint;
}

Task<Reply> ClusterTopology::ask_seed() {
  co_await probe_.connect(seed_);
  const Exchange exchange = co_await probe_.send(encode_command("CLUSTER", "SLOTS"));
  if (exchange.state != Exchange::State::replied) reply_or_throw(exchange);
  co_return exchange.reply;
}

// The first node that answers is the seed from then on.
Task<Reply> ClusterTopology::ask_seeds() {
  std::vector<NodeAddress> others = std::exchange(seed_.others, {});
  if (others.empty()) co_return co_await ask_seed();
  others.insert(others.begin(), {seed_.host, seed_.port});
  std::vector<std::string> problems;
  for (const NodeAddress& node : others) {
    seed_ = endpoint_of(node);
    try {
      co_return co_await ask_seed();
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
  }
  throw Error(Exit::target, "no node answers: " + joined(problems, "; "),
              "check that the cluster runs, and its nodes' addresses");
}

// HELLO tells the mode from Redis 6 on, INFO in every version.
Task<bool> ClusterTopology::seed_says_it_is_a_node() {
  const Exchange hello = co_await probe_.send(encode_command("HELLO"));
  if (const std::string mode = hello_field(hello.reply, "mode"); !mode.empty())
    co_return mode == "cluster";
  const Exchange info = co_await probe_.send(encode_command("INFO", "cluster"));
  co_return info.has_answer() && info_field(info.reply.text, "cluster_enabled") == "1";
}

Task<bool> ClusterTopology::discover() {
  Reply reply = co_await ask_seeds();
  if (reply.is_error()) {
    if (is_permission_error(reply)) {
      refusal_ = reply.text;
      hides_its_map_ = co_await seed_says_it_is_a_node();
    }
    probe_.close("it is asked no more");
    co_return false;
  }
  adopt(read_cluster_map(reply, seed_.host));
  if (map_.shards.empty())
    throw Error(Exit::target, seed_.name() + " is a node of a cluster in which no slot is assigned",
                "make the cluster first: redis-cli --cluster create");
  co_return true;
}

void ClusterTopology::adopt(ClusterMap map) {
  if (map == map_) return;
  map_ = std::move(map);
  tell_change();
}

std::shared_ptr<ClusterTopology::Follower> ClusterTopology::followed_by(Follower follower) {
  auto shared = std::make_shared<Follower>(std::move(follower));
  followers_.push_back(shared);
  return shared;
}

void ClusterTopology::tell_change() {
  ++version_;
  std::erase_if(followers_, [](const std::weak_ptr<Follower>& one) { return one.expired(); });
  for (const std::weak_ptr<Follower>& one : followers_)
    if (const std::shared_ptr<Follower> follower = one.lock()) (*follower)();
}

void ClusterTopology::learn(std::uint16_t slot, const NodeAddress& master) {
  doubt();
  const std::uint16_t shard = map_.find(master);
  if (shard == ClusterMap::kNobody || map_.owner[slot] == shard) return;
  map_.owner[slot] = shard;
  tell_change();
}

void ClusterTopology::doubt() {
  in_doubt_ = true;
  if (keeping_) return;
  keeping_ = true;
  keeper_ = keep();
  keeper_.start();
}

Task<> ClusterTopology::keep() {
  while (in_doubt_) {
    in_doubt_ = false;
    co_await refresh();
    co_await loop_.until(now_us() + kPauseUs);
  }
  keeping_ = false;
}

// The node that answered last is the first.
std::vector<Endpoint> ClusterTopology::nodes_to_ask() const {
  std::vector<Endpoint> nodes;
  for (const ClusterShard& shard : map_.shards) nodes.push_back(endpoint_of(shard.master));
  for (const ClusterShard& shard : map_.shards)
    for (const NodeAddress& replica : shard.replicas) nodes.push_back(endpoint_of(replica));
  nodes.push_back(seed_);
  const auto last = std::ranges::find(nodes, answered_, &Endpoint::name);
  if (last != nodes.end()) std::rotate(nodes.begin(), last, last + 1);
  for (Endpoint& node : nodes) node.timeout_us = std::min(node.timeout_us, kLongestAnswerUs);
  return nodes;
}

// Who asks and the keeper share the connection, one after the other.
Task<> ClusterTopology::refresh() {
  while (asking_) co_await loop_.until(now_us() + kTurnUs);
  asking_ = true;
  for (const Endpoint& node : nodes_to_ask()) {
    const bool told = co_await ask(node);
    if (told) break;
  }
  asking_ = false;
}

// False if the node did not tell the map, or lags.
Task<bool> ClusterTopology::ask(Endpoint node) {
  try {
    if (probe_.is_open() && answered_ != node.name()) probe_.close("another node is asked");
    if (!probe_.is_open()) co_await probe_.connect(node);
    std::vector<std::string> questions{encode_command("CLUSTER", "INFO"),
                                       encode_command("CLUSTER", "SLOTS")};
    const std::vector<Exchange> answers = co_await send_all(probe_, std::move(questions));
    const Reply& slots = reply_or_throw(answers[1]);
    const std::int64_t epoch = epoch_in(answers[0]);
    if (epoch != 0 && epoch < epoch_) co_return false;
    epoch_ = std::max(epoch_, epoch);
    adopt(read_cluster_map(slots, node.host));
    answered_ = node.name();
    co_return true;
  } catch (const Error&) {
    co_return false;
  }
}

}  // namespace rlctl
