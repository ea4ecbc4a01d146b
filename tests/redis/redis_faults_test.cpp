// What a scenario does to its Redis on purpose, on servers of rlctl and of others.
#include "run/redis_faults.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "io/redis/reconnecting.h"
#include "redis/private_redis.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

struct Harmed {
  Harmed() { loop.run(control.connect()); }

  RedisFaults faults(bool is_own = true) {
    return {loop, control, is_own ? &server : nullptr, crash_point, nullptr};
  }
  Reply command(std::vector<std::string> words) {
    return loop.run(send_words(control, std::move(words))).reply;
  }
  std::string setting(const std::string& name) {
    return command({"CONFIG", "GET", name}).elements.at(1).text;
  }

  EmbeddedRedis server{EmbeddedSpec{}};
  Loop loop;
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
  redis.loop.spawn(faults.fill_memory(1'000'000));
  while (!redis.command({"SET", "more", "1"}).text.starts_with("OOM")) continue;
  CHECK(redis.command({"GET", "mine"}).text == "1");
  redis.loop.run(redis.loop.join());
  CHECK(redis.setting("maxmemory") == "104857600");
  CHECK(redis.setting("maxmemory-policy") == "allkeys-lru");
  CHECK(redis.command({"SET", "more", "1"}).text == "OK");
}

TEST_CASE("a Redis that rlctl did not start is never stopped, halted or filled") {
  Harmed redis;
  RedisFaults faults = redis.faults(false);
  CHECK_THROWS_AS(redis.loop.run(faults.restart(0)), Error);
  CHECK_THROWS_AS(redis.loop.run(faults.hang(0)), Error);
  CHECK_THROWS_AS(redis.loop.run(faults.fill_memory(0)), Error);
  CHECK(redis.setting("maxmemory") == "0");
}
