// The typical session: a client is blocked, somebody inspects it and unblocks it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/test_redis.h"

using nlohmann::json;

namespace {

constexpr const char* kKey = "ratelimit:ip:1.2.3.4:minute";

Arguments hit(const char* count) {
  return {"hit", kKey,      "--algo", "sliding",    "--limit", "20",    "--window",
          "60s", "--block", "60s",    "--requests", count,     "--json"};
}

// One key of each type that shares the server, and another key of the same limiter.
std::vector<std::string> add_bystanders(TestRedis& redis) {
  redis.command({"SET", "ratelimit:ip:1.2.3.40:minute", "7", "PX", "600000"});
  redis.command({"SET", "ratelimit:ip:1.2.3.4", "not of this limiter"});
  redis.command({"RPUSH", "jobs", "a", "b"});
  redis.command({"HSET", "user:1", "name", "x"});
  redis.command({"SADD", "tags", "a"});
  redis.command({"XADD", "events", "*", "a", "1"});
  return {
      "ratelimit:ip:1.2.3.40:minute", "ratelimit:ip:1.2.3.4", "jobs", "user:1", "tags", "events"};
}

std::vector<std::string> dumps(TestRedis& redis, const std::vector<std::string>& keys) {
  std::vector<std::string> dumps;
  for (const std::string& key : keys) dumps.push_back(redis.text({"DUMP", key}));
  return dumps;
}

}  // namespace

TEST_CASE("a blocked client is found, inspected and unblocked, and nothing else is touched") {
  TestRedis redis;
  const std::vector<std::string> bystanders = add_bystanders(redis);
  const std::vector<std::string> before = dumps(redis, bystanders);

  const Outcome hits = redis.rlctl(hit("30"));
  CHECK(hits.exit == 1);
  int allowed = 0;
  const json decisions = json::parse(hits.out)["decisions"];
  for (const json& decision : decisions) allowed += decision["allowed"].get<bool>() ? 1 : 0;
  CHECK(decisions.size() == 30);
  CHECK(allowed == 20);

  const Outcome words = redis.rlctl({"inspect", kKey, "--limit", "20", "--window", "60s"});
  CHECK(words.exit == 1);
  CHECK(contains(words.out, "20 of 20 used; blocked for "));
  CHECK(contains(words.out, "; the oldest entry expires in "));
  const Outcome look = redis.rlctl({"inspect", kKey, "--json"});
  const json limiter = json::parse(look.out)["limiters"][0];
  CHECK(limiter["keys"][0]["entries"].size() == 20);
  CHECK(limiter["block"]["key"] == "ratelimit:ip:1.2.3.4:blocked");
  CHECK(limiter["block"]["blocked"] == true);

  CHECK(redis.rlctl({"reset", kKey}).exit == 0);
  CHECK(redis.rlctl(hit("1")).exit == 0);
  CHECK(redis.rlctl({"reset", kKey}).exit == 0);
  CHECK(dumps(redis, bystanders) == before);
  CHECK(redis.number({"DBSIZE"}) == static_cast<std::int64_t>(bystanders.size()));
}

TEST_CASE("a limiter respects the flag that `block` sets, until `unblock`") {
  TestRedis redis;
  CHECK(redis.rlctl({"block", kKey, "--for", "10m"}).exit == 0);
  CHECK(redis.rlctl(hit("1")).exit == 1);
  CHECK(redis.number({"EXISTS", kKey}) == 0);
  CHECK(redis.rlctl({"unblock", kKey}).exit == 0);
  CHECK(redis.rlctl(hit("1")).exit == 0);
}
