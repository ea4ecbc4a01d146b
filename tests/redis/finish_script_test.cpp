// Scripts with a finish on a real Redis, on the virtual clock: the lease semaphore.
#include <doctest/doctest.h>

#include "limiter/limiter.h"
#include "limiter/script_call.h"
#include "redis/private_redis.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kStart = 1'763'683'980 * kSecond;

// 2 in flight, with leases of 10 s; users with a connection in common.
struct Semaphore {
  Semaphore() : call(Registry().find("lease"), two_in_flight(), TimeSource::virtual_time) {
    redis.loop().run(connection.connect(redis.unix_endpoint()));
  }
  static Policy two_in_flight() {
    return policy_of(parse_rules("2 in flight, lease 10s", "--policy"));
  }
  std::unique_ptr<Limiter> user() { return make_limiter(connection, call); }
  Decision decide(Limiter& user, std::int64_t at_us, std::int64_t cost = 1) {
    return redis.loop().run(user.decide({"k", cost, kStart + at_us}));
  }
  Decision finish(Limiter& user, std::int64_t at_us, std::int64_t cost = 1) {
    return redis.loop().run(user.finish({"k", cost, kStart + at_us}));
  }

  PrivateRedis redis;
  Connection connection{redis.loop()};
  ScriptCall call;
};

}  // namespace

TEST_CASE("lease: a finish frees what its own decision took") {
  Semaphore semaphore;
  const auto one = semaphore.user(), two = semaphore.user(), three = semaphore.user();
  CHECK(one->has_finish());
  CHECK(semaphore.decide(*one, 0).outcome == Outcome::allowed);
  CHECK(semaphore.decide(*two, 1).outcome == Outcome::allowed);
  CHECK(semaphore.decide(*three, 2).outcome == Outcome::denied);
  CHECK(semaphore.finish(*three, 3).outcome == Outcome::allowed);  // it holds nothing
  CHECK(semaphore.decide(*three, 4).outcome == Outcome::denied);
  CHECK(semaphore.finish(*one, 5).outcome == Outcome::allowed);
  CHECK(semaphore.decide(*three, 6).outcome == Outcome::allowed);
  CHECK(semaphore.redis.command({"ZCARD", "k"}).integer == 2);
}

TEST_CASE("lease: a holder that vanished holds to the end of its lease, whoever asks") {
  Semaphore semaphore;
  const auto one = semaphore.user(), two = semaphore.user();
  CHECK(semaphore.decide(*one, 0, 2).outcome == Outcome::allowed);
  const Decision denied = semaphore.decide(*two, 10 * kSecond - 1);
  CHECK(denied.outcome == Outcome::denied);
  CHECK(denied.retry_after_us == 1);
  CHECK(semaphore.decide(*two, 10 * kSecond).outcome == Outcome::allowed);
  CHECK(semaphore.finish(*one, 11 * kSecond, 2).outcome == Outcome::allowed);  // too late
  CHECK(semaphore.redis.command({"ZCARD", "k"}).integer == 1);
}

TEST_CASE("lease: more than the limit is denied for ever, and its key expires") {
  Semaphore semaphore;
  const auto one = semaphore.user();
  const Decision denied = semaphore.decide(*one, 0, 3);
  CHECK(denied.outcome == Outcome::denied);
  CHECK(denied.retry_after_us == kNoTime);
  CHECK(semaphore.decide(*one, 1).outcome == Outcome::allowed);
  CHECK(semaphore.redis.command({"PTTL", "k"}).integer > 0);
}
