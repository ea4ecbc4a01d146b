#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/support/test_redis.h"
#include "tools/folder.h"

using nlohmann::json;
using rlctl::test::Folder;

namespace {

std::set<std::string> found(const TestRedis& redis, Arguments arguments, int exit) {
  arguments.insert(arguments.begin(), "doctor");
  arguments.push_back("--json");
  const Outcome outcome = redis.rlctl(arguments);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == exit);
  std::set<std::string> names;
  const json told = json::parse(outcome.out);
  for (const json& finding : told["findings"]) names.insert(finding["finding"]);
  return names;
}

using Names = std::set<std::string>;

}  // namespace

TEST_CASE("doctor finds nothing in a Redis that is well") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "appendonly", "yes"});
  redis.command({"SET", "rl:10.0.0.1", "5", "EX", "60"});
  redis.command({"SET", "rl:10.0.0.1:blocked", "1", "EX", "60"});
  redis.command({"SET", "maintenance", "1"});
  redis.command({"HSET", "config", "retries", "3"});
  CHECK(found(redis, {}, 0) == Names{});
  CHECK(contains(redis.rlctl({"doctor"}).out, "nothing found; 4 keys look like those of limiters"));
}

TEST_CASE("doctor finds what was prepared: keys, eviction, a slow script, a function library") {
  TestRedis redis;
  redis.command({"SET", "rl:10.0.0.1", "5", "EX", "60"});
  redis.command({"SET", "rl:10.0.0.2", "5"});
  redis.command({"SET", "rl:10.0.0.2:blocked", "1"});
  redis.command({"SET", "b:{u1}.tokens", "-3", "EX", "60"});
  redis.command({"SET", "LIMITS:7", "3", "EX", "60"});
  redis.command({"RPUSH", "LIMITS:8", "1795214760.123"});
  redis.command({"EXPIRE", "LIMITS:8", "60"});
  redis.command({"CONFIG", "SET", "maxmemory", "1000000000"});
  redis.command({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
  redis.command({"EVAL", "local x = 0 for i = 1, 5e6 do x = x + i end return x", "0"});
  CHECK(found(redis, {}, 1) == Names{"no-expiry", "endless-block", "impossible-balance",
                                     "mixed-types", "eviction", "slow-scripts", "no-persistence"});
  CHECK(found(redis, {"LIMITS:*", "--fail-on", "critical"}, 1).contains("mixed-types"));
  redis.command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  CHECK(found(redis, {"b:{u2}", "--fail-on", "critical"}, 0) ==
        Names{"slow-scripts", "no-persistence"});
  const std::string text = redis.rlctl({"doctor"}).out;
  CHECK(contains(text,
                 "critical: no-expiry\n  seen  1 key like rl:#.#.#.# never expire (1 do), "
                 "such as 'rl:10.0.0.2'\n"));
}

TEST_CASE("doctor examines scripts, and names what it may not see") {
  TestRedis redis;
  const Folder files;
  const std::string script = files.write("mine.lua", "return redis.call('INCR', KEYS[1])");
  const Outcome outcome = redis.rlctl({"doctor", "--script", script});
  CHECK(outcome.exit == 1);
  CHECK(contains(outcome.out, "warning: writes-without-expiry"));
  CHECK(contains(outcome.out, "mine.lua:1: "));
  redis.command({"ACL", "SETUSER", "default", "-slowlog"});
  const Outcome partial = redis.rlctl({"doctor"});
  CHECK(partial.exit == 4);
  CHECK(contains(partial.err, "not seen: SLOWLOG"));
  CHECK(redis.rlctl({"doctor", "--fail-on", "never"}).exit == 2);
  CHECK(redis.rlctl({"doctor", "--script", "/no/such.lua"}).exit == 2);
}
