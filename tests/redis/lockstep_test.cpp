#include "run/lockstep.h"

#include <doctest/doctest.h>

#include "io/clock.h"
#include "limiter/script_call.h"
#include "redis/private_redis.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

constexpr int kUsers = 16;

Script client_script(const std::string& body) {
  return make_script("test.lua",
                     "-- Test.\n-- rlctl: run = client\n-- rlctl: args = limit\n"
                     "-- rlctl: reply = allowed\n" +
                         body);
}

// Users with one connection each, behind one gate.
struct Crowd {
  Crowd(PrivateRedis& on, const std::string& body, std::int64_t limit, std::size_t gather = kUsers,
        std::int64_t patience_us = 60'000'000)
      : redis(on), gate(on.loop(), gather, patience_us), call(client_script(body), policy(limit)) {
    for (int i = 0; i < kUsers; ++i) {
      connections.push_back(std::make_unique<Connection>(redis.loop()));
      redis.loop().run(connections.back()->connect(redis.unix_endpoint()));
      Lockstep::User& user = gate.add(*connections.back());
      limiters.push_back(std::make_unique<LockstepLimiter>(user, make_limiter(user, call)));
    }
  }
  static Policy policy(std::int64_t limit) {
    return policy_of({Rule{.limit = limit, .window_us = 60'000'000}});
  }
  // `attempts` of each of the first `users`, all started at once.
  int admitted(int attempts = 1, int users = kUsers) {
    allowed = 0;
    for (int i = 0; i < users; ++i) redis.loop().spawn(play(*this, i, attempts));
    redis.loop().run(redis.loop().join());
    return allowed;
  }
  static Task<> play(Crowd& crowd, int user, int attempts) {
    for (int i = 0; i < attempts; ++i) {
      const Decision decision = co_await crowd.limiters[user]->decide({"k", 1, kNoTime});
      CHECK(decision.outcome <= Outcome::denied);
      crowd.allowed += decision.outcome == Outcome::allowed ? 1 : 0;
    }
  }

  PrivateRedis& redis;
  Lockstep gate;
  ScriptCall call;
  std::vector<std::unique_ptr<Connection>> connections;
  std::vector<std::unique_ptr<Limiter>> limiters;
  int allowed = 0;
};

constexpr const char* kReadThenIncr =
    "if tonumber(redis.call('GET', KEYS[1]) or 0) >= tonumber(ARGV[1]) then return 0 end\n"
    "redis.call('INCR', KEYS[1])\n"
    "return 1\n";

constexpr const char* kOptimistic =
    "redis.call('WATCH', KEYS[1])\n"
    "if tonumber(redis.call('GET', KEYS[1]) or 0) >= tonumber(ARGV[1]) then return 0 end\n"
    "redis.call('MULTI')\n"
    "redis.call('INCR', KEYS[1])\n"
    "return redis.call('EXEC') and 1 or 0\n";

}  // namespace

TEST_CASE("in lockstep, read-then-count admits all 16 instead of 3, every time") {
  PrivateRedis redis;
  for (int run = 0; run < 5; ++run) {
    redis.command({"DEL", "k"});
    Crowd crowd(redis, kReadThenIncr, 3);
    CHECK(crowd.admitted() == 16);
    CHECK(crowd.gate.steps() == 2);
    CHECK(crowd.admitted() == 0);
    CHECK(crowd.gate.impatient() == 0);
  }
}

TEST_CASE("in lockstep, exactly one of 16 users who watch one key wins each round") {
  PrivateRedis redis;
  for (int run = 0; run < 5; ++run) {
    redis.command({"DEL", "k"});
    Crowd crowd(redis, kOptimistic, 3);
    CHECK(crowd.admitted(5) == 3);
    CHECK(redis.command({"GET", "k"}).text == "3");
  }
}

TEST_CASE("without lockstep, the same script is exact if each user waits for the other") {
  PrivateRedis redis;
  Crowd crowd(redis, kReadThenIncr, 3, 1);
  int allowed = 0;
  for (int i = 0; i < kUsers; ++i) {
    const Decision decision = redis.loop().run(crowd.limiters[i]->decide({"k", 1, kNoTime}));
    allowed += decision.outcome == Outcome::allowed ? 1 : 0;
  }
  CHECK(allowed == 3);
}

TEST_CASE("commands of one step go out in the users' order") {
  PrivateRedis redis;
  Connection shared(redis.loop());
  redis.loop().run(shared.connect(redis.unix_endpoint()));
  Lockstep gate(redis.loop(), 3);
  Lockstep::User* users[] = {&gate.add(shared), &gate.add(shared), &gate.add(shared)};
  for (Lockstep::User* user : users) user->enter();
  auto push = [](Lockstep::User& user, std::string word) -> Task<> {
    co_await send(user, "RPUSH", "list", word);
    co_await send(user, "RPUSH", "list", word);
    user.leave();
  };
  for (const int i : {2, 0, 1}) redis.loop().spawn(push(*users[i], std::to_string(i)));
  redis.loop().run(redis.loop().join());
  std::string order;
  for (const Reply& word : redis.command({"LRANGE", "list", "0", "-1"}).elements)
    order += word.text;
  CHECK(order == "012012");
  CHECK(gate.steps() == 2);
}

TEST_CASE("a user who leaves is not waited for, even if scripts have different lengths") {
  PrivateRedis redis;
  Crowd crowd(redis,
              "local n = redis.call('INCR', KEYS[1])\n"
              "for i = 1, n % 5 do redis.call('GET', KEYS[1]) end\n"
              "return n <= tonumber(ARGV[1]) and 1 or 0\n",
              40);
  CHECK(crowd.admitted(5) == 40);
  CHECK(redis.command({"GET", "k"}).text == "80");
}

TEST_CASE("if fewer users come than expected, the step starts after a while") {
  PrivateRedis redis;
  Crowd crowd(redis, kReadThenIncr, 3, kUsers, 20'000);
  CHECK(crowd.admitted(1, 10) == 10);
  CHECK(crowd.gate.impatient() == 1);
  crowd.gate.set_gather(4);
  redis.command({"DEL", "k"});
  CHECK(crowd.admitted(1, 4) == 4);
  CHECK(crowd.gate.impatient() == 1);
}

TEST_CASE("a connection that ends in a step frees the other users") {
  PrivateRedis redis;
  Crowd crowd(redis, "redis.call('GET', KEYS[1])\nreturn 1\n", 3);
  crowd.connections[4]->close("the test ends it");
  crowd.connections[9]->close("the test ends it");
  int failed = 0;
  auto play = [](Crowd& of, int user, int& failures) -> Task<> {
    const Decision decision = co_await of.limiters[user]->decide({"k", 1, kNoTime});
    failures += decision.outcome == Outcome::failed ? 1 : 0;
  };
  for (int i = 0; i < kUsers; ++i) redis.loop().spawn(play(crowd, i, failed));
  redis.loop().run(redis.loop().join());
  CHECK(failed == 2);
}
