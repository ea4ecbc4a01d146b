// What a scenario does to its Redis on purpose, on servers of rlctl and of others.
#include "run/redis_faults.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "io/redis/deployment/deployment.h"
#include "io/redis/deployment/hash_slot.h"
#include "io/redis/reconnecting.h"
#include "redis/private_redis.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

constexpr const char* kAsked = "asked for";

// A private cluster, with a client of it.
struct HarmedCluster {
  explicit HarmedCluster(ClusterSize size) : server(EmbeddedSpec{{}, size}) {
    loop.run(server.get_ready(loop));
    deployment.emplace(loop, server.endpoint());
    loop.run(deployment->discover());
    control = deployment->client();
    loop.run(control->connect());
    faults.emplace(loop, *control, &server, crash_point, nullptr);
  }

  std::size_t master() { return loop.run(server.cluster()->steering().master_of(slot_of(kAsked))); }
  std::string text(std::vector<std::string> words) {
    return loop.run(send_words(*control, std::move(words))).reply.text;
  }
  FaultSpan lasting(std::int64_t us) { return {clock, us}; }
  // The cluster may need a moment after a fault.
  void wait_until_it_answers() {
    while (text({"SET", kAsked, "later"}) != "OK") loop.run(pause(loop, 10'000));
  }

  Loop loop;
  WallClock clock{loop};
  EmbeddedRedis server;
  std::optional<Deployment> deployment;
  std::unique_ptr<RedisClient> control;
  CrashPoint crash_point{loop};
  std::optional<RedisFaults> faults;
};

struct Harmed {
  Harmed() { loop.run(control.connect()); }

  RedisFaults faults(bool is_own = true) {
    return {loop, control, is_own ? &server : nullptr, crash_point, nullptr};
  }
  Reply command(std::vector<std::string> words) {
    return loop.run(send_words(control, std::move(words))).reply;
  }
  FaultSpan lasting(std::int64_t us) { return {clock, us}; }
  std::string setting(const std::string& name) {
    return command({"CONFIG", "GET", name}).elements.at(1).text;
  }

  EmbeddedRedis server{EmbeddedSpec{}};
  Loop loop;
  WallClock clock{loop};
  Reconnecting control{loop, server.endpoint()};
  CrashPoint crash_point{loop};
};

}  // namespace

TEST_CASE("client_kill closes every connection but that which asks for it") {
  Harmed redis;
  Connection other(redis.loop);
  redis.loop.run(other.connect(redis.server.endpoint()));
  redis.loop.run(redis.faults().kill_clients());
  CHECK(redis.command({"PING"}).text == "PONG");
  CHECK(redis.loop.run(send(other, "PING")).state != Exchange::State::replied);
}

TEST_CASE("memory_full refuses every write and evicts nothing, and ends as it began") {
  Harmed redis;
  redis.command({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
  redis.command({"CONFIG", "SET", "maxmemory", "100mb"});
  redis.command({"SET", "mine", "1"});
  RedisFaults faults = redis.faults();
  redis.loop.spawn(faults.fill_memory(redis.lasting(1'000'000)));
  while (!redis.command({"SET", "more", "1"}).text.starts_with("OOM")) continue;
  CHECK(redis.command({"GET", "mine"}).text == "1");
  redis.loop.run(redis.loop.join());
  CHECK(redis.setting("maxmemory") == "104857600");
  CHECK(redis.setting("maxmemory-policy") == "allkeys-lru");
  CHECK(redis.command({"SET", "more", "1"}).text == "OK");
}

TEST_CASE("a fault that nobody needs any more ends at once, and undoes what it changed") {
  constexpr std::int64_t kDayUs = 86'400'000'000;
  Harmed redis;
  RedisFaults faults = redis.faults();
  SUBCASE("memory_full") {
    redis.loop.spawn(faults.fill_memory(redis.lasting(kDayUs)));
    while (!redis.command({"SET", "more", "1"}).text.starts_with("OOM")) continue;
  }
  SUBCASE("redis_pause") { redis.loop.spawn(faults.hang("k", redis.lasting(kDayUs))); }
  SUBCASE("redis_restart") { redis.loop.spawn(faults.restart("k", redis.lasting(kDayUs))); }
  redis.clock.stop();
  redis.loop.run(redis.loop.join());
  WallClock later(redis.loop);
  redis.loop.run(faults.be_back(later));
  while (redis.command({"SET", "more", "1"}).text != "OK")
    redis.loop.run(pause(redis.loop, 10'000));
  CHECK(redis.setting("maxmemory") == "0");
}

TEST_CASE("after an outage, the next fault waits until the server is back") {
  Harmed redis;
  RedisFaults faults = redis.faults();
  redis.loop.run(faults.restart("k", redis.lasting(100'000)));
  redis.loop.run(faults.be_back(redis.clock));
  CHECK_NOTHROW(redis.loop.run(faults.forget_scripts()));
}

TEST_CASE("a Redis that rlctl did not start is never stopped, halted or filled") {
  Harmed redis;
  RedisFaults faults = redis.faults(false);
  CHECK_THROWS_AS(redis.loop.run(faults.restart("k", redis.lasting(0))), Error);
  CHECK_THROWS_AS(redis.loop.run(faults.hang("k", redis.lasting(0))), Error);
  CHECK_THROWS_AS(redis.loop.run(faults.fail_over("k", true, redis.lasting(0))), Error);
  CHECK_THROWS_AS(redis.loop.run(faults.move_slot("k", redis.lasting(0))), Error);
  CHECK_THROWS_AS(redis.loop.run(faults.fill_memory(redis.lasting(0))), Error);
  CHECK(redis.setting("maxmemory") == "0");
}

TEST_CASE("slot_migration: the slot of the key moves to another master, with its keys") {
  HarmedCluster redis({3, 0});
  CHECK(redis.text({"SET", kAsked, "1"}) == "OK");
  const std::size_t before = redis.master();
  redis.loop.run(redis.faults->move_slot(kAsked, redis.lasting(0)));
  CHECK(redis.master() != before);
  CHECK(redis.text({"GET", kAsked}) == "1");
}

TEST_CASE("failover: a graceful one forgets nothing") {
  HarmedCluster redis({3, 3});
  CHECK(redis.text({"SET", kAsked, "1"}) == "OK");
  const std::size_t before = redis.master();
  redis.loop.run(redis.faults->fail_over(kAsked, true, redis.lasting(0)));
  CHECK(redis.master() != before);
  std::string kept;
  while (kept.empty()) kept = redis.text({"GET", kAsked});
  CHECK(kept == "1");
}

TEST_CASE("failover: a replica that lagged takes over without what it did not hear") {
  HarmedCluster redis({3, 3});
  const std::size_t before = redis.master();
  CHECK(redis.text({"SET", kAsked, "heard"}) == "OK");
  redis.text({"WAIT", "1", "0"});
  redis.loop.spawn(redis.faults->fail_over(kAsked, false, redis.lasting(1'000'000)));
  while (redis.loop.run(redis.server.cluster()->steering().replica_of(before))) continue;
  CHECK(redis.text({"SET", kAsked, "not heard"}) == "OK");
  redis.loop.run(redis.loop.join());
  CHECK(redis.master() != before);
  std::string kept;
  while (kept.empty()) kept = redis.text({"GET", kAsked});
  CHECK(kept == "heard");
}

TEST_CASE("of a cluster, the master of the key is stopped and halted, and is itself again") {
  HarmedCluster redis({3, 0});
  const std::size_t master = redis.master();
  CHECK(redis.text({"SET", kAsked, "1"}) == "OK");
  SUBCASE("redis_restart empties it") {
    redis.loop.run(redis.faults->restart(kAsked, redis.lasting(0)));
    redis.wait_until_it_answers();
    CHECK(redis.text({"DBSIZE"}).empty());
  }
  SUBCASE("redis_pause does not") {
    redis.loop.spawn(redis.faults->hang(kAsked, redis.lasting(200'000)));
    redis.loop.run(redis.loop.join());
    CHECK(redis.text({"GET", kAsked}) == "1");
  }
  CHECK(redis.master() == master);
}

TEST_CASE("failover and slot_migration need a private cluster, and a failover a replica") {
  Harmed single;
  RedisFaults faults = single.faults();
  CHECK_THROWS_WITH_AS(single.loop.run(faults.move_slot("k", single.lasting(0))),
                       doctest::Contains("needs a private cluster"), Error);
  CHECK_THROWS_WITH_AS(single.loop.run(faults.fail_over("k", true, single.lasting(0))),
                       doctest::Contains("needs a private cluster"), Error);
  HarmedCluster cluster({2, 0});
  CHECK_THROWS_WITH_AS(cluster.loop.run(cluster.faults->fail_over("k", true, cluster.lasting(0))),
                       doctest::Contains("has no replica"), Error);
}
