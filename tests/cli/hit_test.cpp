#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/test_redis.h"

using nlohmann::json;

TEST_CASE("hit --json has remaining, retry-after and the server's time") {
  TestRedis redis;
  const Outcome outcome = redis.rlctl({"hit", "k", "--limit", "1", "--window", "1h", "--count", "2",
                                       "--json", "--algo", "sliding"});
  const json document = json::parse(outcome.out);
  CHECK(document["schema"] == "rlctl.hit/1");
  REQUIRE(document["decisions"].size() == 2);
  CHECK(document["decisions"][0]["allowed"] == true);
  CHECK(document["decisions"][0]["remaining"] == 0);
  CHECK(document["decisions"][1]["retry_after_us"].get<std::int64_t>() > 0);
  CHECK(document["decisions"][1].contains("server_us"));
}

TEST_CASE("a key of another type is one clear line, and the key is not changed") {
  TestRedis redis;
  redis.command({"SADD", "k", "precious"});
  const Outcome outcome = redis.rlctl({"hit", "k", "--limit", "2", "--window", "1h"});
  CHECK(outcome.exit == 3);
  CHECK(outcome.out.empty());
  CHECK(contains(outcome.err, "WRONGTYPE"));
  CHECK(redis.number({"SCARD", "k"}) == 1);
}

TEST_CASE("a wrong password is refused and shown nowhere") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "requirepass", "right"});
  for (const std::string verb : {"list", "load"}) {
    const Outcome outcome =
        run_rlctl({verb, "--redis", redis.url()}, {}, {"REDISCLI_AUTH=canary-1234"});
    CHECK(outcome.exit == 3);
    CHECK(contains(outcome.err, "user or password is wrong"));
    CHECK_FALSE(contains(outcome.out + outcome.err, "canary"));
  }
  CHECK(run_rlctl({"list", "--redis", redis.url()}, {}, {"REDISCLI_AUTH=right"}).exit == 0);
}
