// Which rule of a policy is that of a key.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/inspected.h"
#include "cli/support/test_redis.h"

using nlohmann::json;

namespace {

Outcome with_policy(const TestRedis& redis, Arguments arguments, const std::string& policy) {
  arguments.insert(arguments.end(), {"--policy", policy});
  return redis.rlctl(std::move(arguments));
}

}  // namespace

TEST_CASE("a key whose name ends in its window is judged by the rule of that window") {
  TestRedis redis;
  redis.command({"SET", "api:ann:minute", "4", "EX", "60"});
  redis.command({"SET", "api:ann:hour", "50", "EX", "3000"});
  for (const std::string kind : {"", " fixed", " first-hit"}) {
    const std::string policy = "5/1m" + kind + " & 100/1h" + kind;
    CAPTURE(policy);
    const Outcome inspect = with_policy(redis, {"inspect", "ann"}, policy);
    CHECK(inspect.exit == 0);
    CHECK(contains(inspect.out, "4 of 5 are used;"));
    CHECK(contains(inspect.out, "50 of 100 are used;"));
    const Outcome list = with_policy(redis, {"list"}, policy);
    CHECK(contains(list.out, "4?/5"));
    CHECK_FALSE(contains(list.out, "full"));
    CHECK_FALSE(contains(list.err, "which rule"));
  }
}

TEST_CASE("of several windows the one that is full is shown, not the one with the greatest count") {
  TestRedis redis;
  redis.command({"SET", "api:ann:minute", "5", "EX", "60"});
  redis.command({"SET", "api:ann:hour", "50", "EX", "3000"});
  const std::string policy = "5/1m & 100/1h";
  CHECK(with_policy(redis, {"inspect", "ann"}, policy).exit == 1);
  for (const Arguments& verb : {Arguments{"list"}, Arguments{"watch", "--once"}}) {
    const Outcome outcome = with_policy(redis, verb, policy);
    CHECK(contains(outcome.out, "5?/5"));
    CHECK(contains(outcome.out, "full?"));
  }
}

TEST_CASE("where the rule of a key is not known, its limit is a guess") {
  TestRedis redis;
  redis.command({"SET", "api:ann", "50", "EX", "50"});
  redis.command({"SET", "api:bob:hour", "50", "EX", "3000"});
  struct Case {
    std::string client, policy;
  };
  for (const auto& [client, policy] : {Case{"ann", "5/1m & 100/1h"}, Case{"bob", "5/1m & 100/1d"},
                                       Case{"bob", "5/1m"}, Case{"bob", "20/1h & 100/1h fixed"}}) {
    CAPTURE(client + " " + policy);
    const Outcome inspect = with_policy(redis, {"inspect", client}, policy);
    CHECK(inspect.exit == 4);
    CHECK(contains(inspect.out, " is its rule"));
  }
  const Outcome list = with_policy(redis, {"list"}, "5/1m & 100/1d");
  CHECK(contains(list.out, "50?/5"));
  CHECK(contains(list.out, "full?"));
  CHECK(contains(list.err, "which rule of the policy"));
  CHECK(with_policy(redis, {"inspect", "ann"}, "5/1m").exit == 1);  // the only rule is its own
}

TEST_CASE("a key that is full under none of the rules is not perhaps full") {
  TestRedis redis;
  redis.command({"SET", "api:ann", "3", "EX", "50"});
  REQUIRE(
      redis.rlctl({"hit", "api:bob", "--algo", "sliding", "--policy", "9/1h", "--requests", "4"})
          .exit == 0);
  CHECK(with_policy(redis, {"inspect", "ann"}, "5/1m & 100/1h").exit == 0);
  CHECK(with_policy(redis, {"inspect", "api:bob"}, "5/1m & 6/1h").exit == 0);
  CHECK(with_policy(redis, {"inspect", "api:bob"}, "5/1m & 4/1h").exit == 4);
}

TEST_CASE("a log of which the rule is not known is a guess, too") {
  TestRedis redis;
  REQUIRE(
      redis.rlctl({"hit", "api:ann", "--algo", "sliding", "--policy", "5/1m", "--requests", "5"})
          .exit == 0);
  CHECK(with_policy(redis, {"inspect", "api:ann"}, "5/1m").exit == 1);
  const Outcome both = with_policy(redis, {"inspect", "api:ann"}, "5/1m & 100/1h");
  CHECK(both.exit == 4);
  CHECK(contains(both.out, "5 of 5 used, if 5/1m is its rule"));
}

TEST_CASE("what the keys of a library tell of their limit goes before the policy") {
  TestRedis redis;
  redis.command({"SET", "LIMITS:LIMITER/ann/10/1/minute", "4", "EX", "50"});
  const json limiters = inspected(redis, {"ann", "--policy", "5/1h & 100/1d"});
  REQUIRE(limiters.size() == 1);
  CHECK(limiters[0]["library"]["limit"] == 10);
}
