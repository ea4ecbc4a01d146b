#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/test_redis.h"

using nlohmann::json;

namespace {

void fill(TestRedis& redis, const std::string& prefix, int keys) {
  for (int i = 0; i < keys; ++i)
    redis.command({"SET", prefix + std::to_string(i), "1", "PX", "600000"});
}

}  // namespace

TEST_CASE("a pattern without a literal prefix is refused before anything is sent") {
  TestRedis redis;
  fill(redis, "rl:", 3);
  CHECK(redis.rlctl({"reset", "rl:0", "*", "--yes", "--confirm", "3"}).exit == 2);
  CHECK(redis.calls("unlink") == 0);
  CHECK(redis.calls("scan") == 0);
  CHECK(redis.number({"DBSIZE"}) == 3);
}

TEST_CASE("more than 1,000 keys are removed only if their exact number is given") {
  TestRedis redis;
  fill(redis, "rl:", 1001);
  CHECK(redis.rlctl({"reset", "rl:*", "--yes"}).exit == 2);
  CHECK(redis.number({"DBSIZE"}) == 1001);
  CHECK(redis.rlctl({"reset", "rl:*", "--confirm", "1001"}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("on a terminal a pattern needs confirmation, and only `yes` confirms") {
  TestRedis redis;
  fill(redis, "rl:", 2);
  const Outcome no = redis.rlctl_on_terminal({"reset", "rl:*"}, "n\n");
  CHECK(no.exit == 2);
  CHECK(contains(no.out, "remove 2 keys? [y/N]"));
  CHECK(redis.number({"DBSIZE"}) == 2);
  CHECK(redis.rlctl_on_terminal({"reset", "rl:*"}, "y\n").exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("reset works while Redis refuses writes for lack of memory") {
  TestRedis redis;
  fill(redis, "rl:", 1);
  redis.command({"CONFIG", "SET", "maxmemory", "1"});
  CHECK(redis.rlctl({"reset", "rl:0"}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("block sets a flag that expires, unblock removes it") {
  TestRedis redis;
  CHECK(redis.rlctl({"block", "rl:u1:minute", "--for", "60s"}).exit == 0);
  const std::int64_t left_ms = redis.number({"PTTL", "rl:u1:blocked"});
  CHECK(left_ms > 0);
  CHECK(left_ms <= 60'000);
  const Outcome unblocked = redis.rlctl({"unblock", "rl:u1:minute", "--json"});
  CHECK(json::parse(unblocked.out)["was_blocked"] == true);
  CHECK(redis.number({"DBSIZE"}) == 0);
}
