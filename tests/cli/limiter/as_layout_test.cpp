// Scripts of other libraries, by --as. The script here has the shape of Spring Cloud Gateway's: its
// keys, arguments, state and reply. Those of npm packages are played in real/scripts_test.cpp.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/test_redis.h"
#include "tools/folder.h"

using nlohmann::json;
using rlctl::test::Folder;

namespace {

// `seconds`: the time by `time`, the reply of TIME.
std::string bucket_by(const std::string& seconds) {
  return "local time = redis.call('TIME')\n"
         "local now = tonumber(ARGV[3]) or " +
         seconds +
         "\n"
         "local rate, size, cost = ARGV[1] + 0, ARGV[2] + 0, ARGV[4] + 0\n"
         "local tokens = tonumber(redis.call('GET', KEYS[1]) or size)\n"
         "local asked = tonumber(redis.call('GET', KEYS[2]) or 0)\n"
         "tokens = math.min(size, tokens + math.max(0, now - asked) * rate)\n"
         "local allowed = tokens >= cost\n"
         "if allowed then tokens = tokens - cost end\n"
         "redis.call('SET', KEYS[1], tokens, 'EX', math.ceil(2 * size / rate))\n"
         "redis.call('SET', KEYS[2], now, 'EX', math.ceil(2 * size / rate))\n"
         "return {allowed and 1 or 0, tokens}\n";
}

const std::string kWholeSeconds = bucket_by("tonumber(time[1])");

Arguments as_spring(const std::string& script, const Arguments& more) {
  Arguments arguments = more;
  arguments.insert(arguments.end(), {"--as", "spring-cloud-gateway"});
  arguments.insert(arguments.begin() + (more[0] == "explore" ? 1 : 2), script);
  if (more[0] != "explore") arguments.insert(arguments.begin() + 2, "--script");
  return arguments;
}

}  // namespace

TEST_CASE("--as plays a library's script, and inspect reads its keys") {
  const Folder folder;
  TestRedis redis;
  const std::string script = folder.write("request_rate_limiter.lua", kWholeSeconds);
  const Outcome hits = redis.rlctl(
      as_spring(script, {"hit", "203.0.113.7", "--policy", "bucket 3 + 1/1h", "--requests", "4"}));
  INFO(hits.err);
  CHECK(hits.out == "allowed, 2 of 3 left\nallowed, 1 of 3 left\nallowed, 0 of 3 left\ndenied\n");
  CHECK(redis.number({"EXISTS", "request_rate_limiter.{203.0.113.7}.timestamp"}) == 1);
  const json library =
      json::parse(redis.rlctl({"inspect", "203.0.113.7", "--policy", "bucket 3 + 1/1h", "--json"})
                      .out)["limiters"][0]["library"];
  CHECK(library["layouts"] == json::array({"spring-cloud-gateway"}));
  CHECK(library["left"] == doctest::Approx(0).epsilon(0.01));
}

TEST_CASE("a bucket that counts whole seconds is judged by them, and none of its keys are left") {
  TestRedis redis;
  const Folder folder;
  const std::string script = folder.write("request_rate_limiter.lua", kWholeSeconds);
  const Outcome outcome =
      redis.rlctl(as_spring(script, {"simulate", "boundary", "--anchor", "clock", "--policy",
                                     "bucket 10 + 10/1s", "--json", "--quiet"}));
  INFO(outcome.err);
  // 20 within 0.1 s, around the beginning of a second. A busy machine may prove nothing.
  const json told = json::parse(outcome.out);
  REQUIRE(told.contains("own_contract"));
  CHECK(told["own_contract"]["verdict"] != "violated");
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("explore tries the interleavings of a library's script") {
  const Folder folder;
  const Outcome outcome =
      run_rlctl(as_spring(folder.write("theirs.lua", kWholeSeconds),
                          {"explore", "--users", "2", "--policy", "bucket 1 + 1/1s", "--json"}));
  INFO(outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(json::parse(outcome.out)["verdict"] == "holds");
}

TEST_CASE("--as with nothing to read, or the wrong script, is one clear line") {
  TestRedis redis;
  const Folder folder;
  const std::string script = folder.write("theirs.lua", kWholeSeconds);
  const auto told = [&](const Arguments& more) {
    Arguments hit{"hit", "k", "--policy", "3/1m"};
    hit.insert(hit.end(), more.begin(), more.end());
    const Outcome outcome = redis.rlctl(hit);
    CHECK(outcome.exit == 2);
    CHECK(std::ranges::count(outcome.err, '\n') == 1);
    return outcome.err;
  };
  CHECK(contains(told({"--as", "redis-rate"}), "add --script FILE.lua"));
  CHECK(contains(told({"--algo", "fixed", "--as", "redis-rate"}), "add --script FILE.lua"));
  CHECK(contains(told({"--script", script, "--as", "redis-rat"}), "did you mean 'redis-rate'?"));
  CHECK(contains(told({"--script", script, "--as", "redis-rate"}),
                 "the script reads 2 keys and 4 arguments, and redis-rate gives 1 key"));
  CHECK(redis.number({"DBSIZE"}) == 0);
}
