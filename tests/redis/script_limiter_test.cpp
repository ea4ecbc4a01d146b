#include "limiter/script_limiter.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "redis/garbling_relay.h"
#include "redis/private_redis.h"
#include "tools/free_port.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

constexpr const char* kCount =
    "-- Counts.\n"
    "-- rlctl: args  = limit, window_ms\n"
    "-- rlctl: reply = allowed = reply <= limit\n"
    "local n = redis.call('INCR', KEYS[1])\n"
    "if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end\n"
    "return n\n";

constexpr const char* kFailsAfterWriting =
    "-- Fails.\n"
    "-- rlctl: reply = allowed\n"
    "redis.call('SET', KEYS[1], 'text')\n"
    "return redis.call('LPOP', KEYS[1])\n";

Policy two_a_minute() { return policy_of({Rule{.limit = 2, .window_us = 60'000'000}}); }

// A limiter with its own connection and script.
struct Fixture {
  explicit Fixture(const std::string& text, const ReplicaWait& wait = {})
      : call(make_script("test.lua", text), two_a_minute()), limiter(connection, call, wait) {
    redis.loop().run(connection.connect(redis.unix_endpoint()));
  }
  Decision decide(std::string_view key = "k") {
    return redis.loop().run(limiter.decide({key, 1, kNoTime}));
  }

  PrivateRedis redis;
  Connection connection{redis.loop()};
  ScriptCall call;
  ScriptLimiter limiter;
};

Task<> store(ScriptLimiter& limiter, Decision& decision) {
  decision = co_await limiter.decide({"k", 1, kNoTime});
}

}  // namespace

TEST_CASE("a script that Redis does not know is loaded, and the decision is made once") {
  Fixture fixture(kCount);
  for (const Outcome expected : {Outcome::allowed, Outcome::allowed, Outcome::denied}) {
    fixture.redis.command({"SCRIPT", "FLUSH"});
    const Decision decision = fixture.decide();
    CHECK(decision.outcome == expected);
    CHECK(decision.sent_us > 0);
    CHECK(decision.received_us >= decision.sent_us);
  }
  CHECK(fixture.redis.command({"GET", "k"}).text == "3");
  CHECK(fixture.decide().outcome == Outcome::denied);
}

TEST_CASE("an admission is unknown until a replica has confirmed it, a denial needs nobody") {
  Fixture fixture(kCount, {.replicas = 1, .timeout_us = 1'000'000});
  const Decision alone = fixture.decide();
  CHECK(alone.outcome == Outcome::unknown);
  CHECK(alone.problem == "allowed, but 0 of 1 replica confirmed it within 1s");
  PrivateRedis replica;
  const std::string port = std::to_string(fixture.redis.tcp_endpoint().port);
  replica.command({"REPLICAOF", "127.0.0.1", port});
  while (fixture.redis.command({"WAIT", "1", "100"}).integer == 0) continue;
  CHECK(fixture.decide().outcome == Outcome::allowed);
  replica.freeze();
  CHECK(fixture.decide("other").outcome == Outcome::unknown);
  CHECK(fixture.decide().outcome == Outcome::denied);
  replica.thaw();
}

TEST_CASE("at maxmemory and on a replica the result is `failed`, not `unknown`") {
  Fixture fixture(kCount);
  CHECK(fixture.decide().outcome == Outcome::allowed);
  fixture.redis.command({"CONFIG", "SET", "maxmemory", "1"});
  const Decision full = fixture.decide();
  CHECK(full.outcome == Outcome::failed);
  CHECK(full.problem.starts_with("OOM"));
  fixture.redis.command({"CONFIG", "SET", "maxmemory", "0"});
  fixture.redis.command({"REPLICAOF", "127.0.0.1", std::to_string(free_port())});
  const Decision replica = fixture.decide();
  CHECK(replica.outcome == Outcome::failed);
  CHECK(replica.problem.starts_with("READONLY"));
  fixture.redis.command({"REPLICAOF", "NO", "ONE"});
  CHECK(fixture.redis.command({"GET", "k"}).text == "1");
}

TEST_CASE("a script error after a possible write is `unknown` and reported") {
  Fixture fixture(kFailsAfterWriting);
  const Decision decision = fixture.decide();
  CHECK(decision.outcome == Outcome::unknown);
  CHECK(decision.problem.starts_with("WRONGTYPE"));
  CHECK(fixture.redis.command({"GET", "k"}).text == "text");
}

TEST_CASE("a script that writes and then replies in Redis's words runs once, and is `unknown`") {
  for (const std::string words : {"NOSCRIPT x", "BUSY x", "LOADING x"}) {
    Fixture fixture(
        "-- Counts.\n-- rlctl: reply = allowed\nredis.call('INCR', KEYS[1])\n"
        "return redis.error_reply('" +
        words + "')\n");
    CHECK(fixture.decide().outcome == Outcome::unknown);
    CHECK(fixture.redis.command({"GET", "k"}).text == "1");
  }
}

TEST_CASE("a forgotten script that catches errors is loaded again for the next decision") {
  Fixture fixture("-- Counts.\n-- rlctl: reply = allowed\nreturn redis.pcall('INCR', KEYS[1])\n");
  CHECK(fixture.decide().outcome == Outcome::allowed);
  fixture.redis.command({"SCRIPT", "FLUSH"});
  CHECK(fixture.decide().outcome == Outcome::unknown);
  CHECK(fixture.decide().outcome == Outcome::allowed);
  CHECK(fixture.redis.command({"GET", "k"}).text == "2");
}

TEST_CASE("a script that does not compile was certainly not executed") {
  Fixture fixture("-- Broken.\n-- rlctl: reply = allowed\nreturn (\n");
  const Decision decision = fixture.decide();
  CHECK(decision.outcome == Outcome::failed);
  CHECK(decision.problem.find("compiling") != std::string::npos);
  CHECK_THROWS_AS(
      fixture.redis.loop().run(load_script_into(fixture.connection, fixture.call.script())), Error);
}

TEST_CASE("if a user may not run or load scripts, the result is `failed`") {
  Fixture fixture(kCount);
  fixture.redis.command({"ACL", "SETUSER", "default", "-evalsha"});
  CHECK(fixture.decide().outcome == Outcome::failed);
  fixture.redis.command({"ACL", "SETUSER", "default", "+evalsha", "-script"});
  CHECK(fixture.decide().outcome == Outcome::failed);
}

TEST_CASE("a decision without an answer is `unknown`, one that was never sent is `failed`") {
  Fixture fixture(kCount);
  CHECK(fixture.decide().outcome == Outcome::allowed);
  fixture.redis.freeze();
  Decision lost;
  fixture.redis.loop().spawn(store(fixture.limiter, lost));
  fixture.redis.kill();
  fixture.redis.loop().run(fixture.redis.loop().join());
  CHECK(lost.outcome == Outcome::unknown);
  CHECK(lost.sent_us > 0);
  CHECK(lost.received_us == kNoTime);
  CHECK_FALSE(lost.problem.empty());
  const Decision not_sent = fixture.decide();
  CHECK(not_sent.outcome == Outcome::failed);
  CHECK(not_sent.sent_us == kNoTime);
  CHECK(not_sent.received_us == kNoTime);
}

TEST_CASE(
    "a decision whose answer is spoiled on its way is `unknown`, not `failed` or another one") {
  for (const char first : {'x', '?', '\1', '\xff'}) {
    CAPTURE(static_cast<int>(first));
    PrivateRedis redis;
    GarblingRelay relay(redis.unix_endpoint());
    Connection connection{redis.loop()};
    redis.loop().run(connection.connect(relay.endpoint()));
    ScriptCall call(make_script("test.lua", kCount), two_a_minute());
    ScriptLimiter limiter(connection, call, {});
    const auto decide = [&] { return redis.loop().run(limiter.decide({"k", 1, kNoTime})); };
    CHECK(decide().outcome == Outcome::allowed);
    relay.spoil(first);
    const Decision spoiled = decide();
    CHECK(spoiled.outcome == Outcome::unknown);
    CHECK(spoiled.received_us == kNoTime);
    CHECK_FALSE(spoiled.problem.empty());
    CHECK(redis.command({"GET", "k"}).text == "2");
    CHECK(decide().outcome == Outcome::failed);
  }
}

TEST_CASE("a key may hold any bytes") {
  Fixture fixture(kCount);
  const std::string key("a\r\n\0\xff b", 7);
  CHECK(fixture.decide(key).outcome == Outcome::allowed);
  CHECK(fixture.redis.command({"GET", key}).text == "1");
}
