#include "redis/test_cluster.h"

#include <algorithm>
#include <stdexcept>

#include "io/clock.h"
#include "io/redis/command.h"
#include "io/redis/deployment/hash_slot.h"
#include "redis/private_redis.h"

namespace rlctl::test {
TestCluster::TestCluster(ClusterSize size) : cluster_({}, size) {
  loop_.run(cluster_.form(loop_));
  for (std::size_t node = 0; node < cluster_.size(); ++node) {
    steering_.push_back(std::make_unique<Connection>(loop_));
    Endpoint patient = endpoint(node);
    patient.timeout_us = 60'000'000;
    loop_.run(steering_.back()->connect(patient));
  }
}

std::string TestCluster::url(std::size_t node) const {
  const Endpoint at = endpoint(node);
  return "redis://:" + at.password + "@" + at.host + ":" + std::to_string(at.port);
}

Reply TestCluster::command(std::size_t node, std::vector<std::string> words) {
  const Exchange exchange = loop_.run(send_words(*steering_[node], std::move(words)));
  if (exchange.state != Exchange::State::replied) throw std::runtime_error(exchange.problem);
  return exchange.reply;
}

std::size_t TestCluster::node_of(const std::string& key) {
  for (std::size_t node = 0; node < cluster_.size(); ++node)
    if (!command(node, {"SET", key, "here"}).is_error()) return node;
  throw std::runtime_error("no node serves " + key);
}

void TestCluster::wait_until_replicas_are_listed() {
  const std::int64_t deadline_us = now_us() + 60'000'000;
  for (std::size_t node = 0; node < cluster_.size(); ++node) {
    const auto has_replica = [](const Reply& range) { return range.elements.size() > 3; };
    while (!std::ranges::all_of(command(node, {"CLUSTER", "SLOTS"}).elements, has_replica))
      if (now_us() > deadline_us) throw std::runtime_error("a replica is not listed");
  }
}

void TestCluster::begin_migration(const std::string& key, std::size_t to) {
  loop_.run(cluster_.steering().begin_move(slot_of(key), node_of(key), to));
}

void TestCluster::end_migration(const std::string& key, std::size_t to) {
  loop_.run(cluster_.steering().end_move(slot_of(key), node_of(key), to));
}

void TestCluster::migrate_key(const std::string& key, std::size_t from, std::size_t to) {
  loop_.run(cluster_.steering().move_key(key, from, to));
}

}  // namespace rlctl::test
