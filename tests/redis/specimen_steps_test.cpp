// The specimens that run step by step: each command is a round trip of its own, and other clients'
// commands may run in between. Tests which commands they send, in which order, when they refuse and
// which times to live they set. Also tests the published claims about them; races are played step
// by step, so that they do not depend on luck.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "specimen_play.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

std::string window_key(std::int64_t now_ms) { return "k:" + std::to_string(now_ms / kMinute); }

// All it asks before the process dies: `steps` commands.
void die_after(Specimen& limiter, int steps, std::int64_t now_ms = 0) {
  Specimen::Steps dying = limiter.begin(now_ms);
  for (int i = 0; i < steps; ++i) dying.next();
}

}  // namespace

TEST_CASE("incr-then-expire: every request counts and renews, denied ones too") {
  const Server server;
  Specimen limiter(server, "incr-then-expire", {2});
  for (const bool allowed : {true, true, false, false}) {
    const Heard heard = limiter.decide();
    CHECK(heard.allowed == allowed);
    CHECK(heard.commands == "INCR k; EXPIRE k 60");
    CHECK(limiter.lives_for(kMinute));
    limiter.redis().ask({"PEXPIRE", "k", "5000"});
  }
  limiter.expire();
  CHECK(limiter.allows());
}

TEST_CASE("incr-then-expire: the next request repairs a missing TTL after a crash") {
  const Server server;
  Specimen limiter(server, "incr-then-expire", {2});
  die_after(limiter, 1);
  CHECK(limiter.redis().integer({"PTTL", "k"}) == -1);
  CHECK(limiter.allows());
  CHECK(limiter.lives_for(kMinute));
}

TEST_CASE("incr-expire-first: only the first hit sets the time to live") {
  const Server server;
  Specimen limiter(server, "incr-expire-first", {2});
  const Heard first = limiter.decide();
  CHECK(first.allowed);
  CHECK(first.commands == "INCR k; EXPIRE k 60");
  CHECK(limiter.lives_for(kMinute));
  limiter.redis().ask({"PEXPIRE", "k", "5000"});
  for (const bool allowed : {true, false}) {
    const Heard heard = limiter.decide();
    CHECK(heard.allowed == allowed);
    CHECK(heard.commands == "INCR k");
  }
  CHECK(limiter.lives_for(5'000));
  limiter.expire();
  CHECK(limiter.allows());
}

TEST_CASE("incr-expire-first: a crash between the steps blocks the client for ever") {
  const Server server;
  Specimen limiter(server, "incr-expire-first", {2});
  die_after(limiter, 1);
  CHECK(limiter.admitted_of(100) == 1);
  CHECK(limiter.redis().integer({"PTTL", "k"}) == -1);
}

TEST_CASE("double-click: refuses from a count of 2 on, and each admission renews") {
  const Server server;
  Specimen limiter(server, "double-click", {1, 5'000});
  for (int click = 0; click < 2; ++click) {
    const Heard admitted = limiter.decide();
    CHECK(admitted.allowed);
    CHECK(admitted.commands == "GET k; MULTI; INCR k; EXPIRE k 5; EXEC");
    CHECK(limiter.lives_for(5'000));
    limiter.redis().ask({"PEXPIRE", "k", "2000"});
  }
  const Heard denied = limiter.decide();
  CHECK_FALSE(denied.allowed);
  CHECK(denied.commands == "GET k");
  CHECK(limiter.lives_for(2'000));
  limiter.expire();
  CHECK(limiter.allows());
}

TEST_CASE("double-click: three at one instant exceed its own 2, and so do sixteen") {
  const Server server;
  for (const int clicks : {3, 16}) {
    Specimen limiter(server, "double-click", {1, 5'000});
    limiter.redis().ask({"FLUSHALL"});
    CHECK(limiter.admitted_in_lockstep(clicks) == clicks);
  }
}

TEST_CASE("get-then-incr: sets a fresh key, counts, renews, and refuses above the limit") {
  const Server server;
  Specimen limiter(server, "get-then-incr", {100});
  const Heard first = limiter.decide();
  CHECK(first.allowed);
  CHECK(first.commands == "GET k; MULTI; SET k 0 EX 60; INCR k; EXPIRE k 60; EXEC");
  CHECK(limiter.lives_for(kMinute));
  for (const int before : {1, 98, 99, 100}) {
    limiter.redis().ask({"SET", "k", std::to_string(before), "PX", "5000"});
    const Heard admitted = limiter.decide();
    CHECK(admitted.allowed);
    CHECK(admitted.commands == "GET k; MULTI; INCR k; EXPIRE k 60; EXEC");
    CHECK(limiter.lives_for(kMinute));
  }
  limiter.redis().ask({"PEXPIRE", "k", "5000"});
  const Heard denied = limiter.decide();
  CHECK_FALSE(denied.allowed);
  CHECK(denied.commands == "GET k");
  CHECK(limiter.lives_for(5'000));
  limiter.expire();
  CHECK(limiter.admitted_of(150) == 101);
}

TEST_CASE("get-then-incr: 16 consumers all read 100 and all pass") {
  const Server server;
  Specimen limiter(server, "get-then-incr", {100});
  limiter.redis().ask({"SET", "k", "100"});
  CHECK(limiter.admitted_in_lockstep(16) == 16);
}

TEST_CASE("get-then-incr: a stale SET overwrites what others counted") {
  const Server server;
  Specimen limiter(server, "get-then-incr", {100});
  CHECK(limiter.admitted_in_lockstep(16) == 16);
  CHECK(limiter.redis().text({"GET", "k"}) == "1");
}

TEST_CASE("watch-ignored: watches, reads, and admits whatever EXEC returns") {
  const Server server;
  Specimen limiter(server, "watch-ignored", {100});
  const Heard first = limiter.decide();
  CHECK(first.allowed);
  CHECK(first.commands == "WATCH k; GET k; MULTI; SET k 0 EX 60; INCR k; EXPIRE k 60; EXEC");
  CHECK(limiter.lives_for(kMinute));
  CHECK(limiter.decide().commands == "WATCH k; GET k; MULTI; INCR k; EXPIRE k 60; EXEC");
  limiter.redis().ask({"SET", "k", "100", "PX", "5000"});
  CHECK(limiter.allows());
  limiter.redis().ask({"PEXPIRE", "k", "5000"});
  const Heard denied = limiter.decide();
  CHECK_FALSE(denied.allowed);
  CHECK(denied.commands == "WATCH k; GET k");
  CHECK(limiter.lives_for(5'000));
}

TEST_CASE("watch-ignored: 16 in lockstep all pass, and one of them is counted") {
  const Server server;
  Specimen limiter(server, "watch-ignored", {1});
  CHECK(limiter.admitted_in_lockstep(16) == 16);
  CHECK(limiter.redis().text({"GET", "k"}) == "1");
}

TEST_CASE("watch-incr: the first sets the time to live, and at the limit it refuses") {
  const Server server;
  Specimen limiter(server, "watch-incr", {2});
  const Heard first = limiter.decide();
  CHECK(first.allowed);
  CHECK(first.commands == "WATCH k; GET k; MULTI; INCR k; EXPIRE k 60; EXEC");
  CHECK(limiter.lives_for(kMinute));
  limiter.redis().ask({"PEXPIRE", "k", "5000"});
  const Heard second = limiter.decide();
  CHECK(second.allowed);
  CHECK(second.commands == "WATCH k; GET k; MULTI; INCR k; EXEC");
  const Heard denied = limiter.decide();
  CHECK_FALSE(denied.allowed);
  CHECK(denied.commands == "WATCH k; GET k");
  CHECK(limiter.lives_for(5'000));
  limiter.expire();
  CHECK(limiter.admitted_of(5) == 2);
}

TEST_CASE("watch-incr: of 16 in lockstep one passes, even if there is room for more") {
  const Server server;
  Specimen limiter(server, "watch-incr", {100});
  for (int round = 1; round <= 5; ++round) {
    CHECK(limiter.admitted_in_lockstep(16) == 1);
    CHECK(limiter.redis().text({"GET", "k"}) == std::to_string(round));
  }
}

TEST_CASE("watch-incr: a refusal leaves a WATCH, which can fail the next window's first request") {
  const Server server;
  Specimen limiter(server, "watch-incr", {1});
  CHECK(limiter.allows());
  Specimen::Steps client = limiter.begin();
  CHECK_FALSE(client.finish().allowed);
  limiter.expire();
  client.again(kStart);
  CHECK_FALSE(client.finish().allowed);  // EXEC fails: the key it still watches has expired
  client.again(kStart);
  CHECK(client.finish().allowed);
}

TEST_CASE("watch-retried: tries again if EXEC fails, up to three times") {
  const Server server;
  Specimen limiter(server, "watch-retried", {100});
  const std::string once = "WATCH k; GET k; MULTI; INCR k; EXPIRE k 60; EXEC";
  CHECK(limiter.decide().commands == once);
  Specimen::Steps client = limiter.begin();
  for (int step = 0; step < 2; ++step) client.next();
  limiter.redis().ask({"INCR", "k"});
  const Heard second = client.finish();
  CHECK(second.allowed);
  CHECK(second.commands ==
        "WATCH k; GET k; MULTI; INCR k; EXEC; WATCH k; GET k; MULTI; INCR k; EXEC");
  CHECK(limiter.admitted_in_lockstep(16) == 4);
  limiter.redis().ask({"SET", "k", "100"});
  CHECK(limiter.decide().commands == "WATCH k; GET k");
}

TEST_CASE("textbook-fixed: counts every request of the window, admits 200 of 100 at its edge") {
  const Server server;
  Specimen limiter(server, "textbook-fixed", {100});
  const Heard first = limiter.decide(kStart + 59'900);
  const std::string key = window_key(kStart);
  CHECK(first.commands == fmt::format("INCR {0}; EXPIRE {0} 60", key));
  CHECK(limiter.lives_for(kMinute, key));
  CHECK(limiter.admitted_of(150, kStart + 59'900) == 99);
  CHECK(limiter.decide(kStart + 59'999).commands == first.commands);
  CHECK(limiter.redis().text({"GET", key}) == "152");
  CHECK(limiter.admitted_of(150, kStart + kMinute) == 100);
}

TEST_CASE("textbook-fixed: a key without TTL blocks only its own window") {
  const Server server;
  Specimen limiter(server, "textbook-fixed", {1});
  die_after(limiter, 1, kStart);
  CHECK(limiter.redis().integer({"PTTL", window_key(kStart)}) == -1);
  CHECK(limiter.allows(kStart + kMinute));
}

TEST_CASE("textbook-log: adds, removes, counts, and sets no time to live") {
  const Server server;
  Specimen limiter(server, "textbook-log", {2});
  for (const std::int64_t now : {kStart, kStart + 1, kStart + 2}) {
    const Heard heard = limiter.decide(now);
    CHECK(heard.allowed == (now < kStart + 2));
    CHECK(heard.commands ==
          fmt::format("ZADD k {0} {0}; ZREMRANGEBYSCORE k 0 {1}; ZCARD k", now, now - kMinute));
  }
  CHECK(limiter.redis().integer({"PTTL", "k"}) == -1);
  CHECK_FALSE(limiter.allows(kStart + kMinute));  // the one denied at 2 still counts
  CHECK(limiter.allows(kStart + 2 * kMinute));
}

TEST_CASE("textbook-log: 16 at once with room for 15 are all refused, 16 in one ms all pass") {
  const Server server;
  Specimen limiter(server, "textbook-log", {15});
  CHECK(limiter.admitted_in_lockstep(16, kStart, 1) == 0);
  limiter.redis().ask({"FLUSHALL"});
  CHECK(limiter.admitted_in_lockstep(16, kStart) == 16);
  CHECK(limiter.admitted_of(100, kStart) == 100);
}

TEST_CASE("textbook-token-bucket: counts down from its capacity and never up") {
  const Server server;
  Specimen bucket(server, "textbook-token-bucket", {10, kMinute, 10});
  for (int left = 9; left >= 0; --left) {
    const Heard admitted = bucket.decide();
    CHECK(admitted.allowed);
    CHECK(admitted.commands == fmt::format("HGET k tokens; HSET k tokens {}", left));
  }
  const Heard denied = bucket.decide();
  CHECK_FALSE(denied.allowed);
  CHECK(denied.commands == "HGET k tokens");
  CHECK(bucket.redis().integer({"PTTL", "k"}) == -1);
  CHECK(bucket.admitted_of(100, kStart + 100 * kMinute) == 0);
}

TEST_CASE("textbook-token-bucket: 16 who read the same number take the same token") {
  const Server server;
  Specimen bucket(server, "textbook-token-bucket", {1, kMinute, 1});
  CHECK(bucket.admitted_in_lockstep(16) == 16);
  CHECK(bucket.redis().text({"HGET", "k", "tokens"}) == "0");
}

TEST_CASE("textbook-leaky-bucket: uses its one value both as a time and as a level") {
  const Server server;
  Specimen bucket(server, "textbook-leaky-bucket", {60, kMinute, 5});
  CHECK(bucket.decide(kStart).commands == "GET k; INCRBY k 0; INCR k");
  CHECK(bucket.decide(kStart).commands ==
        fmt::format("GET k; INCRBY k -{}; INCR k", (kStart - 1) / 1000));
  CHECK(bucket.redis().integer({"PTTL", "k"}) == -1);
  // If the value is a real level, it does refuse.
  bucket.redis().ask({"SET", "k", std::to_string(kStart)});
  const Heard denied = bucket.decide(kStart);
  CHECK_FALSE(denied.allowed);
  CHECK(denied.commands == "GET k; INCRBY k 0");
}

TEST_CASE("textbook-leaky-bucket: admits 2,000 of 2,000") {
  const Server server;
  Specimen bucket(server, "textbook-leaky-bucket", {60, kMinute, 5});
  CHECK(bucket.admitted_of(2'000, kStart) == 2'000);
}

TEST_CASE("check-then-add: removes, counts, and adds when there is room") {
  const Server server;
  Specimen limiter(server, "check-then-add", {2});
  for (const int id : {1, 2}) {
    const Heard admitted = limiter.decide(kStart);
    CHECK(admitted.allowed);
    CHECK(admitted.commands == fmt::format("ZREMRANGEBYSCORE k -inf {}; ZCARD k; ZADD k {} id{}",
                                           kStart - kMinute, kStart, id));
  }
  const Heard denied = limiter.decide(kStart + kMinute - 1);
  CHECK_FALSE(denied.allowed);
  CHECK(denied.commands == fmt::format("ZREMRANGEBYSCORE k -inf {}; ZCARD k", kStart - 1));
  CHECK(limiter.redis().integer({"PTTL", "k"}) == -1);
  CHECK(limiter.admitted_of(3, kStart + kMinute) == 2);
}

TEST_CASE("check-then-add: 16 in lockstep all read that there is room") {
  const Server server;
  Specimen limiter(server, "check-then-add", {1});
  CHECK(limiter.admitted_in_lockstep(16, kStart) == 16);
}

TEST_CASE("log-under-lock: locks, removes, counts, adds, and releases its own lock") {
  const Server server;
  Specimen limiter(server, "log-under-lock", {1});
  const std::string counted =
      fmt::format("NX PX 1000; ZREMRANGEBYSCORE k -inf {}; ZCARD k; ", kStart - kMinute);
  const Heard admitted = limiter.decide(kStart);
  CHECK(admitted.allowed);
  CHECK(admitted.commands.starts_with(
      fmt::format("SET k:lock id1 {}ZADD k {} id1; EVAL if ", counted, kStart)));
  CHECK(admitted.commands.ends_with(" 1 k:lock id1"));
  CHECK(limiter.redis().integer({"EXISTS", "k:lock"}) == 0);
  const Heard denied = limiter.decide(kStart);
  CHECK_FALSE(denied.allowed);
  CHECK(denied.commands.starts_with("SET k:lock id2 " + counted + "EVAL if "));
  CHECK(limiter.allows(kStart + kMinute));
}

TEST_CASE("log-under-lock: a lock that another client has taken since is not removed") {
  const Server server;
  Specimen limiter(server, "log-under-lock", {1});
  Specimen::Steps slow = limiter.begin(kStart);
  for (int step = 0; step < 3; ++step) slow.next();
  CHECK(limiter.lives_for(1'000, "k:lock"));
  limiter.redis().ask({"SET", "k:lock", "another's"});
  slow.finish();
  CHECK(limiter.redis().text({"GET", "k:lock"}) == "another's");
}

TEST_CASE("log-under-lock: if it finds the lock taken, it tries 500 times and is refused") {
  const Server server;
  Specimen limiter(server, "log-under-lock", {5});
  limiter.redis().ask({"SET", "k:lock", "another's"});
  const Heard denied = limiter.decide(kStart);
  CHECK_FALSE(denied.allowed);
  CHECK(std::ranges::count(denied.commands, ';') == 499);
}

TEST_CASE("log-under-lock: of 16 in lockstep exactly the limit passes") {
  const Server server;
  Specimen limiter(server, "log-under-lock", {5});
  CHECK(limiter.admitted_in_lockstep(16, kStart) == 5);
}
