// Copying, comparing and moving the model of Redis in time. tests/redis/redis_model_test.cpp shows
// that its replies are those of Redis.
#include "run/explore/model/redis_model.h"

#include <doctest/doctest.h>

#include "base/error.h"

namespace rlctl {
namespace {

constexpr std::int64_t kNow = 2'000'000'000'000'000;

RedisModel model() { return RedisModel(2, kNow); }

}  // namespace

TEST_CASE("a copy of a model is independent") {
  RedisModel one = model();
  one.execute(0, {"SET", "a", "1"});
  RedisModel other = one;
  CHECK(one.fingerprint() == other.fingerprint());
  other.execute(1, {"INCR", "a"});
  CHECK(one.execute(0, {"GET", "a"}).text == "1");
  CHECK(other.execute(0, {"GET", "a"}).text == "2");
  CHECK(one.fingerprint() != other.fingerprint());
}

TEST_CASE("equal states have equal fingerprints, whatever their history") {
  RedisModel one = model(), other = model();
  one.execute(0, {"INCR", "a"});
  one.execute(0, {"ZADD", "z", "1", "m"});
  other.execute(1, {"ZADD", "z", "2", "m"});
  other.execute(1, {"ZADD", "z", "1", "m"});
  other.execute(1, {"SET", "a", "1"});
  CHECK(one.fingerprint() == other.fingerprint());
}

TEST_CASE("the fingerprint covers everything that a command can observe") {
  const RedisModel before = model();
  const auto differs = [&](const Words& command) {
    RedisModel after = before;
    after.execute(0, command);
    return after.fingerprint() != before.fingerprint();
  };
  CHECK(differs({"SET", "a", "1"}));
  CHECK(differs({"WATCH", "a"}));
  CHECK(differs({"MULTI"}));
  CHECK(differs({"SCRIPT", "LOAD", "return 1"}));
  CHECK_FALSE(differs({"GET", "a"}));
  RedisModel later = before;
  later.advance_to(kNow + 1);
  CHECK(later.fingerprint() != before.fingerprint());
  RedisModel with_expiry = before, without = before;
  with_expiry.execute(0, {"SET", "a", "1", "PX", "5"});
  without.execute(0, {"SET", "a", "1"});
  CHECK(with_expiry.fingerprint() != without.fingerprint());
}

TEST_CASE("a key exists during the millisecond of its expiry, and not after it") {
  RedisModel redis = model();
  redis.execute(0, {"SET", "a", "1", "PX", "5"});
  redis.advance_to(kNow + 5'999);
  CHECK(redis.execute(0, {"PTTL", "a"}).integer == 0);
  redis.advance_to(kNow + 6'000);
  CHECK(redis.execute(0, {"PTTL", "a"}).integer == -2);
}

TEST_CASE("a watched key that expires ends the transaction") {
  RedisModel redis = model();
  redis.execute(0, {"SET", "a", "1", "PX", "5"});
  redis.execute(1, {"WATCH", "a"});
  redis.execute(1, {"MULTI"});
  redis.advance_to(kNow + 6'000);
  CHECK(redis.execute(1, {"EXEC"}).is_nil());
}

TEST_CASE("a client that disconnects loses its transaction") {
  RedisModel redis = model();
  redis.execute(0, {"MULTI"});
  CHECK(redis.execute(0, {"INCR", "a"}).text == "QUEUED");
  redis.disconnect(0);
  CHECK(redis.execute(0, {"EXEC"}).text == "ERR EXEC without MULTI");
  CHECK(redis.execute(1, {"GET", "a"}).is_nil());
}

TEST_CASE("the model has its own clock") {
  RedisModel redis = model();
  redis.advance_to(kNow + 1'500'000);
  const Reply time = redis.execute(0, {"TIME"});
  CHECK(time.elements.at(0).text == "2000000001");
  CHECK(time.elements.at(1).text == "500000");
}

TEST_CASE("the model refuses unknown commands") {
  RedisModel redis = model();
  for (const Words& command :
       {Words{"PFADD", "a", "1"}, Words{"ZRANGE", "z", "-", "+", "BYLEX"}, Words{"SMEMBERS", "s"}})
    CHECK_THROWS_AS(redis.execute(0, command), Error);
}

}  // namespace rlctl
