#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/test_redis.h"

using nlohmann::json;

namespace {

void fill(TestRedis& redis, const std::string& prefix, int keys) {
  for (int i = 0; i < keys; ++i)
    redis.command({"SET", prefix + std::to_string(i), "1", "PX", "600000"});
}

}  // namespace

TEST_CASE("reset removes a limiter's key and its flag and nothing else") {
  TestRedis redis;
  fill(redis, "rl:", 3);
  redis.command({"SET", "rl:1:blocked", "1", "PX", "60000"});
  const Outcome outcome = redis.rlctl({"reset", "rl:1"});
  CHECK(outcome.exit == 0);
  CHECK(outcome.out == "rl:1: removed\nrl:1:blocked: removed\n");
  CHECK(redis.number({"DBSIZE"}) == 2);
  CHECK(redis.calls("del") == 0);
}

TEST_CASE("reset reports a key that does not exist") {
  TestRedis redis;
  const Outcome outcome = redis.rlctl({"reset", "nobody"});
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.err, "no key 'nobody': nothing to reset"));
}

TEST_CASE("a pattern without a literal prefix is refused before anything is sent") {
  TestRedis redis;
  fill(redis, "rl:", 3);
  for (const std::string pattern : {"*", "?l:*", "[r]l:1", "**"}) {
    CAPTURE(pattern);
    const Outcome outcome = redis.rlctl({"reset", "rl:0", pattern, "--yes", "--confirm", "3"});
    CHECK(outcome.exit == 2);
    CHECK(contains(outcome.err, "is refused: it could match every key"));
  }
  CHECK(redis.calls("unlink") == 0);
  CHECK(redis.calls("scan") == 0);
  CHECK(redis.number({"DBSIZE"}) == 3);
}

TEST_CASE("a pattern needs --yes if there is no terminal to ask on") {
  TestRedis redis;
  fill(redis, "rl:", 12);
  const Outcome unsure = redis.rlctl({"reset", "rl:*"}, "y\n");
  CHECK(unsure.exit == 2);
  CHECK(contains(unsure.err, "the patterns match 12 keys; nothing was removed"));
  CHECK(contains(unsure.err, "… and 2 more"));
  CHECK(redis.number({"DBSIZE"}) == 12);
  CHECK(redis.rlctl({"reset", "rl:*", "--yes"}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("--dry-run shows the keys that would be removed, and removes nothing") {
  TestRedis redis;
  fill(redis, "rl:", 2);
  const Outcome outcome = redis.rlctl({"reset", "rl:*", "--dry-run"});
  CHECK(outcome.exit == 0);
  CHECK(outcome.out == "rl:0: would be removed\nrl:1: would be removed\n");
  CHECK(redis.calls("unlink") == 0);
}

TEST_CASE("more than 1,000 keys are removed only if their exact number is given") {
  TestRedis redis;
  fill(redis, "rl:", 1001);
  const Outcome by_yes = redis.rlctl({"reset", "rl:*", "--yes"});
  CHECK(by_yes.exit == 2);
  CHECK(contains(by_yes.err, "--confirm 1001"));
  CHECK(redis.rlctl({"reset", "rl:*", "--confirm", "1000"}).exit == 2);
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

TEST_CASE("under a pattern, keys of types that no limiter uses are kept") {
  TestRedis redis;
  redis.command({"XADD", "rl:stream", "*", "a", "1"});
  redis.command({"SADD", "rl:set", "a"});
  fill(redis, "rl:", 1);
  const Outcome outcome = redis.rlctl({"reset", "rl:*", "--yes"});
  CHECK(outcome.exit == 0);
  CHECK(outcome.out == "rl:0: removed\n");
  CHECK(contains(outcome.err, "'rl:stream' not removed: no limiter uses a stream"));
  CHECK(redis.number({"DBSIZE"}) == 2);
  CHECK(redis.rlctl({"reset", "rl:set"}).exit == 4);  // named explicitly, and yet not removed
  CHECK(redis.number({"DBSIZE"}) == 2);
}

TEST_CASE("--literal takes a pattern's characters literally") {
  TestRedis redis;
  fill(redis, "rl:", 3);
  redis.command({"SET", "rl:[1]", "1", "PX", "60000"});
  CHECK(redis.rlctl({"reset", "rl:[1]", "--literal"}).out == "rl:[1]: removed\n");
  CHECK(redis.number({"EXISTS", "rl:1"}) == 1);
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
  const Outcome blocked = redis.rlctl({"block", "rl:u1:minute", "--for", "60s"});
  CHECK(blocked.exit == 0);
  CHECK(blocked.out == "rl:u1:blocked: blocked for 1 m; it was not blocked\n");
  const std::int64_t left_ms = redis.number({"PTTL", "rl:u1:blocked"});
  CHECK(left_ms > 0);
  CHECK(left_ms <= 60'000);
  const Outcome unblocked = redis.rlctl({"unblock", "rl:u1:minute", "--json"});
  CHECK(json::parse(unblocked.out)["was_blocked"] == true);
  CHECK(redis.number({"DBSIZE"}) == 0);
  CHECK(contains(redis.rlctl({"unblock", "rl:u1:minute"}).out, "nothing to remove"));
}

TEST_CASE("block does not overwrite a key that is not a flag") {
  TestRedis redis;
  redis.command({"RPUSH", "rl:u1:blocked", "precious"});
  const Outcome outcome = redis.rlctl({"block", "rl:u1", "--for", "60s"});
  CHECK(outcome.exit == 3);
  CHECK(contains(outcome.err, "is not a block flag: it holds a list"));
  CHECK(redis.number({"LLEN", "rl:u1:blocked"}) == 1);
}
