#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/test_redis.h"

using nlohmann::json;

namespace {

Arguments hits(const std::string& algorithm, const std::string& place) {
  Arguments arguments{"hit", "k",          "--limit", "2",      "--window",
                      "1h",  "--requests", "3",       "--algo", algorithm};
  if (!place.empty()) arguments.insert(arguments.end(), {"--run", place});
  return arguments;
}

}  // namespace

TEST_CASE("--run client decides as Redis does, without sending the script to Redis") {
  TestRedis redis;
  const Outcome server = redis.rlctl(hits("sliding", "server"));
  const auto scripts = redis.calls("evalsha");
  CHECK(scripts > 0);
  redis.command({"FLUSHALL"});
  const Outcome client = redis.rlctl(hits("sliding", "client"));
  CHECK(client.exit == 1);
  CHECK(redis.calls("evalsha") == scripts);
  CHECK(client.out.starts_with("allowed, 1 of 2 left\nallowed, 0 of 2 left\ndenied, retry after "));
  CHECK(server.out.starts_with("allowed, 1 of 2 left\nallowed, 0 of 2 left\ndenied, retry after "));
  CHECK(client.err.empty());
}

TEST_CASE("a script with run = client runs there, and an open transaction is reported") {
  TestRedis redis;
  const Outcome outcome = redis.rlctl(hits("watch-incr", ""));
  CHECK(outcome.exit == 1);
  CHECK(outcome.out.starts_with("allowed\nallowed\ndenied"));
  CHECK(contains(outcome.err, "can end with keys watched: rlctl sends UNWATCH"));
  CHECK(redis.calls("evalsha") == 0);
  CHECK(redis.calls("exec") == 2);
}

TEST_CASE("a block flag works around a script that runs on the client") {
  TestRedis redis;
  Arguments arguments = hits("sliding-list", "client");
  arguments.insert(arguments.end(), {"--block", "30m"});
  CHECK(redis.rlctl(arguments).exit == 1);
  CHECK(redis.number({"EXISTS", "k:blocked"}) == 1);
  const Outcome blocked = redis.rlctl(arguments);
  CHECK(blocked.exit == 1);
  CHECK(contains(blocked.out, "denied, blocked for "));
  CHECK(contains(blocked.out, "by 'k:blocked'"));
}

TEST_CASE("bench measures and attacks scripts that run on the client") {
  const Outcome outcome = run_rlctl({"bench", "--json", "--algo", "fixed", "--algo", "watch-incr",
                                     "--run", "client", "--users", "8", "--rounds", "1", "--for",
                                     "100ms", "--limit", "20", "--keys", "50"});
  CHECK(outcome.exit == 0);
  const json result = json::parse(outcome.out);
  CHECK(result["complete"] == true);
  REQUIRE(result["algorithms"].size() == 2);
  for (const json& algorithm : result["algorithms"]) {
    CAPTURE(algorithm.dump());
    CHECK(algorithm["decisions_per_second"] > 0);
    CHECK(algorithm["attacks"].size() == 3);
  }
  CHECK(result["algorithms"][0]["policy_verdict"] == "violated");
  CHECK(contains(result["algorithms"][1]["remark"], "UNWATCH"));
}
