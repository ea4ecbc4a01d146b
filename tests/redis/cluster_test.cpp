#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "base/error.h"
#include "io/clock.h"
#include "io/errands.h"
#include "io/redis/command.h"
#include "io/redis/deployment/cluster_topology.h"
#include "io/redis/deployment/deployment.h"
#include "io/redis/deployment/hash_slot.h"
#include "io/redis/keyspace.h"
#include "io/redis/server_info.h"
#include "limiter/script_limiter.h"
#include "redis/private_redis.h"
#include "redis/test_cluster.h"
#include "tools/contains.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

// The client of a deployment, connected.
struct Client {
  Client(Loop& loop, const Endpoint& endpoint) : deployment(loop, endpoint), loop_(loop) {
    loop.run(deployment.discover());
    redis = deployment.client();
    loop.run(redis->connect());
  }

  Exchange send(std::vector<std::string> words) {
    return loop_.run(send_words(*redis, std::move(words)));
  }
  std::string text(std::vector<std::string> words) { return send(std::move(words)).reply.text; }

  Deployment deployment;
  std::unique_ptr<RedisClient> redis;

 private:
  Loop& loop_;
};

std::string name_of(int number) { return "key:" + std::to_string(number); }

std::set<std::string> scanned(Loop& loop, Redis& redis) {
  std::set<std::string> keys;
  for (KeyScan scan(redis, "*"); !scan.done();)
    for (std::string& key : loop.run(scan.next())) keys.insert(std::move(key));
  return keys;
}

Task<> ask_for_both(Redis& redis, Exchange& exchange) {
  exchange = co_await rlctl::test::send(redis, "MGET", "{t}3", "{t}99");
}

// Another key in the same slot.
std::string sibling_of(const std::string& tag, int number) {
  return "{" + tag + "}" + std::to_string(number);
}

// Does something before the first command of this name goes out.
class Meddler final : public Redis {
 public:
  Meddler(Redis& redis, std::string name, std::function<Task<>()> deed)
      : redis_(redis), name_(std::move(name)), deed_(std::move(deed)) {}

  void start(Exchange& exchange, std::string_view wire) override {
    if (deed_ && CommandWords(wire).next() == name_) return errands_.add(meddle(exchange, wire));
    redis_.start(exchange, wire);
  }
  void settle_on(std::string_view key) override { redis_.settle_on(key); }

 private:
  Task<> meddle(Exchange& exchange, std::string_view wire) {
    const std::function<Task<>()> deed = std::exchange(deed_, {});
    co_await deed();
    redis_.start(exchange, wire);
  }

  Redis& redis_;
  std::string name_;
  std::function<Task<>()> deed_;
  Errands errands_;
};

Task<> move_slot(TestCluster& servers, std::string key, std::size_t from, std::size_t to,
                 bool whole) {
  ClusterSteering& steering = servers.cluster().steering();
  co_await steering.begin_move(slot_of(key), from, to);
  if (whole)
    co_await steering.end_move(slot_of(key), from, to);
  else
    co_await steering.move_key(key, from, to);
}

Task<> fail_over(TestCluster& servers, std::size_t master) {
  ClusterSteering& steering = servers.cluster().steering();
  const std::optional<std::size_t> replica = co_await steering.replica_of(master);
  REQUIRE(replica);
  co_await steering.take_over(*replica, master, true);
}

}  // namespace

TEST_CASE("a cluster is found by itself, and looks like one Redis") {
  TestCluster servers({3, 0});
  Client client(servers.loop(), servers.endpoint(1));
  REQUIRE(client.deployment.is_cluster());
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string key;
    for (int length = static_cast<int>(random() % 12); length >= 0; --length)
      key += "ab{}:\xff\r\n"[random() % 8];
    CAPTURE(key);
    CHECK(servers.command(0, {"CLUSTER", "KEYSLOT", key}).integer == slot_of(key));
  }
  std::set<std::string> written;
  for (int i = 0; i < 200; ++i) {
    CHECK(client.text({"SET", name_of(i), std::to_string(i)}) == "OK");
    written.insert(name_of(i));
  }
  CHECK(client.text({"GET", name_of(77)}) == "77");
  CHECK(client.send({"DBSIZE"}).reply.integer == 200);
  for (std::size_t node = 0; node < 3; ++node)
    CHECK(servers.command(node, {"DBSIZE"}).integer > 20);
  CHECK(scanned(servers.loop(), *client.redis) == written);
  CHECK(client.redis->unseen().empty());
  // A script is loaded everywhere.
  const std::string sha = client.text({"SCRIPT", "LOAD", "return redis.call('GET', KEYS[1])"});
  for (int i = 0; i < 20; ++i)
    CHECK(client.text({"EVALSHA", sha, "1", name_of(i)}) == std::to_string(i));
  CHECK(client.send({"SCRIPT", "EXISTS", sha}).reply.elements[0].integer == 1);
}

TEST_CASE("two questions for the map at once share a connection") {
  TestCluster servers({3, 0});
  ClusterTopology topology(servers.loop(), servers.endpoint());
  servers.loop().run(topology.discover());
  const auto received = [&] {
    std::int64_t all = 0;
    for (std::size_t node = 0; node < 3; ++node)
      all += std::stoll(
          info_field(servers.command(node, {"INFO", "stats"}).text, "total_connections_received"));
    return all;
  };
  const std::int64_t before = received();
  Errands errands;
  errands.add(topology.refresh());
  errands.add(topology.refresh());
  const std::uint64_t version = topology.version();
  servers.loop().run(topology.refresh());
  CHECK(topology.version() == version);
  CHECK(received() <= before + 1);  // of another node than the seed
}

TEST_CASE("a slot that moves is followed: ASK, TRYAGAIN until it is over, MOVED") {
  TestCluster servers({3, 0});
  Loop& loop = servers.loop();
  Client client(loop, servers.endpoint());
  for (int i = 0; i < 10; ++i) client.send({"SET", sibling_of("t", i), "old"});
  const std::size_t from = servers.node_of("{t}0");
  const std::size_t to = (from + 1) % 3;
  servers.begin_migration("{t}0", to);
  CHECK(client.text({"SET", sibling_of("t", 99), "new"}) == "OK");  // ASK
  CHECK(servers.command(to, {"DBSIZE"}).integer == 1);
  CHECK(client.text({"GET", sibling_of("t", 3)}) == "old");  // still there
  // One key here, one there: refused until the migration ends, within the time-out.
  Exchange both;
  loop.spawn(ask_for_both(*client.redis, both));
  servers.end_migration("{t}0", to);
  loop.run(loop.join());
  REQUIRE(both.reply.is_array());
  CHECK(both.reply.elements[0].text == "old");
  CHECK(both.reply.elements[1].text == "new");
  for (int i = 1; i < 10; ++i) CHECK(client.text({"GET", sibling_of("t", i)}) == "old");
  CHECK(client.send({"DBSIZE"}).reply.integer == 11);
}

TEST_CASE("a command that waits for the cluster was sent when it was sent first") {
  TestCluster servers({3, 0});
  Loop& loop = servers.loop();
  Client client(loop, servers.endpoint());
  const std::size_t node = servers.node_of("{t}");
  const std::string slot = std::to_string(slot_of("{t}"));
  REQUIRE(servers.command(node, {"CLUSTER", "DELSLOTS", slot}).text == "OK");
  Exchange exchange;
  loop.spawn(ask_for_both(*client.redis, exchange));
  loop.run(pause(loop, 100'000));
  const std::int64_t served_us = now_us();
  REQUIRE(servers.command(node, {"CLUSTER", "ADDSLOTS", slot}).text == "OK");
  loop.run(loop.join());
  REQUIRE(exchange.reply.is_array());
  CHECK(exchange.sent_us < served_us);
  CHECK(exchange.received_us > served_us);
}

TEST_CASE("with WAIT, an admission by a node to which the key has moved is unknown") {
  TestCluster servers({3, 3});
  servers.wait_until_replicas_are_listed();
  Loop& loop = servers.loop();
  Client client(loop, servers.endpoint());
  ScriptCall call(make_script("test.lua",
                              "-- Counts.\n"
                              "-- rlctl: args  = limit\n"
                              "-- rlctl: reply = allowed = reply <= limit\n"
                              "return redis.call('INCR', KEYS[1])\n"),
                  policy_of({Rule{.limit = 100, .window_us = 60'000'000}}));
  loop.run(load_script_into(*client.redis, call.script()));
  ScriptLimiter limiter(*client.redis, call, {.replicas = 1, .timeout_us = 1'500'000});
  const auto decide = [&] { return loop.run(limiter.decide({"{t}", 1, kNoTime})); };
  CHECK(decide().outcome == Outcome::allowed);
  const std::string sibling = sibling_of("t", 1);
  const std::size_t to = (servers.node_of(sibling) + 1) % 3;
  client.send({"UNLINK", "{t}"});
  servers.begin_migration(sibling, to);
  const Decision moving = decide();  // ASK
  CHECK(moving.outcome == Outcome::unknown);
  CHECK(moving.unconfirmed);
  CHECK(moving.problem == "allowed, but its key was moving, so WAIT asked another node's replicas");
  servers.end_migration(sibling, to);
  while (decide().unconfirmed) continue;  // until the map is known
  CHECK(decide().outcome == Outcome::allowed);
  CHECK(servers.command(to, {"EXISTS", "{t}"}).integer == 1);
}

// Redirections of a transaction cannot be followed: it is on one connection.
TEST_CASE("a script with WATCH whose key moves on the way certainly did not run, then follows it") {
  TestCluster servers({3, 0});
  Loop& loop = servers.loop();
  Client client(loop, servers.endpoint());
  ScriptCall call(make_script("test.lua",
                              "-- Counts.\n"
                              "-- rlctl: args  = limit\n"
                              "-- rlctl: reply = allowed\n"
                              "-- rlctl: run   = client\n"
                              "redis.call('WATCH', KEYS[1])\n"
                              "redis.call('GET', KEYS[1])\n"
                              "redis.call('MULTI')\n"
                              "redis.call('INCR', KEYS[1])\n"
                              "if not redis.call('EXEC') then error('changed') end\n"
                              "return 1\n"),
                  policy_of({Rule{.limit = 100, .window_us = 60'000'000}}));
  int number = 0;
  for (const bool whole : {false, true})
    for (const std::string command : {"WATCH", "GET", "MULTI", "INCR", "EXEC"}) {
      const std::string key = "{" + std::to_string(++number) + "}";
      CAPTURE(whole);
      CAPTURE(command);
      const std::size_t from = servers.node_of(key + "sibling");
      const std::size_t to = (from + 1) % 3;
      servers.command(from, {"SET", key, "1"});
      Meddler meddler(*client.redis, command,
                      [&] { return move_slot(servers, key, from, to, whole); });
      const std::unique_ptr<Limiter> limiter = make_limiter(meddler, call);
      const auto decide = [&] { return loop.run(limiter->decide({key, 1, kNoTime})); };
      const Decision moved = decide();
      CHECK(moved.outcome == Outcome::failed);
      // Valkey sees first that the key was changed.
      const bool is_changed = command == "EXEC" && contains(moved.problem, "changed");
      CHECK((contains(moved.problem, whole ? "MOVED" : "ASK") || is_changed));
      if (!whole) servers.end_migration(key + "sibling", to);
      Outcome next = Outcome::failed;
      while (next == Outcome::failed) next = decide().outcome;  // until the map is known
      CHECK(next == Outcome::allowed);
      CHECK(servers.command(to, {"GET", key}).text == "2");
    }
}

TEST_CASE("after a failover the new master is used") {
  TestCluster servers({3, 3});
  Loop& loop = servers.loop();
  Client client(loop, servers.endpoint());
  client.send({"SET", "a", "1"});
  const std::size_t node = servers.node_of("a");
  servers.command(node, {"WAIT", "1", "5000"});
  const int before = 3;
  CHECK(client.redis->servers().size() == before);
  // Asked over another node than the one that ends.
  servers.kill(node);
  const std::int64_t deadline_us = now_us() + 30'000'000;
  Exchange exchange;
  int failed = 0;
  do {
    exchange = client.send({"GET", "a"});
    if (exchange.state != Exchange::State::replied) ++failed;
    loop.run(pause(loop, 10'000));
  } while (exchange.state != Exchange::State::replied && now_us() < deadline_us);
  CHECK(exchange.reply.text == "here");
  CHECK(failed > 0);
  CHECK(client.redis->is_open());
}

TEST_CASE("a client that was idle during a failover does not fail its first command after it") {
  TestCluster servers({3, 3});
  Loop& loop = servers.loop();
  Client client(loop, servers.endpoint());
  const std::unique_ptr<RedisClient> idle = client.deployment.client();
  loop.run(idle->connect());
  servers.wait_until_replicas_are_listed();
  const std::uint64_t before = client.deployment.topology().version();
  loop.run(fail_over(servers, servers.node_of("a")));
  while (client.deployment.topology().version() == before) {
    client.send({"GET", "a"});
    loop.run(pause(loop, 1'000));
  }
  while (!idle->is_open()) loop.run(pause(loop, 1'000));
  CHECK(loop.run(rlctl::test::send(*idle, "GET", "a")).reply.text == "here");
}

TEST_CASE("a search says what it could not see: a node that is away, slots of nobody") {
  TestCluster servers({3, 0});
  Client client(servers.loop(), servers.endpoint());
  for (int i = 0; i < 100; ++i) client.send({"SET", name_of(i), "x"});
  const std::size_t gone = servers.node_of(name_of(1));
  const std::int64_t lost = servers.command(gone, {"DBSIZE"}).integer;
  servers.kill(gone);
  const std::set<std::string> seen = scanned(servers.loop(), *client.redis);
  CHECK(static_cast<std::int64_t>(seen.size()) == 100 - lost);
  const std::string unseen = client.redis->unseen();
  CHECK(unseen.find(servers.endpoint(gone).name().substr(8)) != std::string::npos);
}

TEST_CASE("a search does not miss in silence what moves behind it, finished or not") {
  TestCluster servers({3, 0});
  Loop& loop = servers.loop();
  Client client(loop, servers.endpoint());
  std::map<NodeAddress, std::size_t> by_address;  // as the search goes
  for (std::size_t node = 0; node < 3; ++node)
    by_address[{servers.endpoint(node).host, servers.endpoint(node).port}] = node;
  const std::size_t first = by_address.begin()->second, last = by_address.rbegin()->second;
  int number = 0;
  const auto key_at = [&](std::size_t node) {
    for (;;)
      if (std::string key = name_of(++number); servers.node_of(key) == node) return key;
  };
  const auto seen_while_it_moves = [&](const std::string& key, bool whole) {
    KeyScan scan(*client.redis, "*");
    std::set<std::string> seen;
    for (bool moved = false; !scan.done(); moved = true) {
      for (std::string& one : loop.run(scan.next())) seen.insert(std::move(one));
      if (!moved) loop.run(move_slot(servers, key, last, first, whole));
    }
    return seen.contains(key);
  };
  const std::string moving = key_at(last), moved = key_at(last);
  CHECK_FALSE(seen_while_it_moves(moved, true));
  CHECK(client.redis->unseen() == "perhaps keys that moved between nodes meanwhile");
  CHECK_FALSE(seen_while_it_moves(moving, false));
  CHECK(client.redis->unseen() == "perhaps keys that are moving between nodes now, of slot " +
                                      std::to_string(slot_of(moving)));
  // A later search finds it where it is, but another may move meanwhile.
  CHECK(scanned(loop, *client.redis).contains(moving));
  CHECK(contains(client.redis->unseen(), "moving"));
  loop.run(servers.cluster().steering().end_move(slot_of(moving), last, first));
  CHECK(scanned(loop, *client.redis).contains(moving));
  CHECK(client.redis->unseen().empty());
  for (std::size_t node = 0; node < 3; ++node)
    servers.command(node, {"ACL", "SETUSER", "default", "-cluster|nodes"});
  scanned(loop, *client.redis);
  CHECK(contains(client.redis->unseen(),
                 "perhaps keys that were moving between nodes: CLUSTER NODES: NOPERM"));
}

TEST_CASE("--cluster insists") {
  PrivateRedis single;
  Endpoint endpoint = single.unix_endpoint();
  endpoint.cluster = true;
  Deployment deployment(single.loop(), endpoint);
  CHECK_THROWS_WITH_AS(single.loop().run(deployment.discover()),
                       doctest::Contains("is not a node of a cluster"), Error);
}
