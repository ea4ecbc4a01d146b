#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/test_redis.h"

using nlohmann::json;

TEST_CASE("hit prints each decision, and exit 1 means that one was denied") {
  TestRedis redis;
  const Outcome outcome =
      redis.rlctl({"hit", "k", "--limit", "2", "--window", "1h", "--count", "3"});
  CHECK(outcome.exit == 1);
  CHECK(
      outcome.out.starts_with("allowed, 1 of 2 left\nallowed, 0 of 2 left\ndenied, retry after "));
  CHECK(outcome.err.empty());
  CHECK(redis.rlctl({"hit", "other", "--limit", "2", "--window", "1h"}).exit == 0);
}

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

TEST_CASE("options without effect are refused: a service's options and a Redis's") {
  const std::string url = "http://127.0.0.1:1/";
  for (const auto& [arguments, culprit] : std::vector<std::pair<Arguments, std::string>>{
           {{"hit", "k", "--target", url}, "KEY"},
           {{"hit", "--target", url, "--limit", "5"}, "--limit"},
           {{"hit", "--target", url, "--redis", "redis://127.0.0.1"}, "--redis"},
           {{"hit", "k", "--limit", "5", "--window", "1s", "-H", "a: b"}, "--header"},
           {{"simulate", "bot", "--target", url, "--run", "client"}, "--run"},
           {{"simulate", "bot", "--insecure"}, "--insecure"}}) {
    const Outcome outcome = run_rlctl(arguments);
    INFO(outcome.err);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(" " + culprit + " is only for ") != std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
}

TEST_CASE("an unreachable Redis is exit 3 and says what to do") {
  const Outcome outcome = run_rlctl({"list", "--redis", "unix:///nowhere/redis.sock"});
  CHECK(outcome.exit == 3);
  CHECK(outcome.out.empty());
  CHECK(contains(outcome.err, "/nowhere/redis.sock"));
}
