// Scripts with a block flag or a time stamp around them, on a real server.
#include <doctest/doctest.h>

#include "base/error.h"
#include "io/redis/script_sha1.h"
#include "limiter/wrapper.h"
#include "redis_fixture.h"
#include "script_model.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

constexpr std::int64_t kAnHour_ms = 3'600'000;
constexpr std::int64_t kWrapperStart_us = 1'763'683'980'000'000;
const std::vector<std::string> kBoth = {"key", "key:blocked"};

Answer at(Played& script, std::int64_t after_us, std::int64_t cost = 1) {
  return script.decide(kBoth, cost, std::to_string(kWrapperStart_us + after_us));
}

// A foreign script: a counter that replies with its value only.
constexpr auto kForeign =
    "#!lua\n"
    "-- rlctl: args = 'x', limit\n"
    "local n = redis.call('INCR', KEYS[1])\n"
    "if #KEYS ~= 1 or #ARGV ~= 2 then return redis.error_reply('ERR not as asked') end\n"
    "return {n, n / 2}";

}  // namespace

TEST_CASE(
    "with --block a denial blocks until the flag's end, to the microsecond, for every algorithm") {
  const Server server;
  Connection redis = server.connect();
  for (const std::string name : {"fixed", "sliding", "sliding-list", "sliding-counter",
                                 "token-bucket", "leaky-bucket", "leaky-queue", "gcra"}) {
    CAPTURE(name);
    redis.ask({"FLUSHALL"});
    Played script(redis, with_block(Registry().find(name)), {2, 1'000'000, 2}, kAnHour_ms);
    script.block_ms = 5000;
    CHECK(at(script, 0).allowed);
    CHECK(at(script, 1).allowed);
    CHECK(redis.integer({"EXISTS", "key:blocked"}) == 0);
    const Answer first = at(script, 10);
    CHECK_FALSE(first.allowed);
    CHECK(first.retry_after_us == 5'000'000);
    CHECK(redis.text({"GET", "key:blocked"}) == std::to_string(kWrapperStart_us + 5'000'010));
    const std::string before = redis.text({"DUMP", "key"});
    const Answer blocked = at(script, 4'000'000);
    CHECK_FALSE(blocked.allowed);
    CHECK(blocked.retry_after_us == 1'000'010);
    CHECK_FALSE(at(script, 5'000'009).allowed);
    CHECK(redis.text({"DUMP", "key"}) == before);
    CHECK(redis.text({"GET", "key:blocked"}) == std::to_string(kWrapperStart_us + 5'000'010));
    CHECK(at(script, 5'000'010).allowed);
  }
}

TEST_CASE("on Redis's clock the block flag exists as long as the block") {
  const Server server;
  Connection redis = server.connect();
  for (const std::string name : {"fixed-anchored", "sliding-list"}) {
    CAPTURE(name);
    redis.ask({"FLUSHALL"});
    Played script(redis, with_block(Registry().find(name)), {1, 60'000'000, 1});
    script.block_ms = 90'000;
    CHECK(script.decide(kBoth, 1).allowed);
    const Answer denied = script.decide(kBoth, 1);
    CHECK_FALSE(denied.allowed);
    CHECK(denied.retry_after_us == 90'000'000);
    const long long ttl_ms = redis.integer({"PTTL", "key:blocked"});
    CHECK(ttl_ms > 0);
    CHECK(ttl_ms <= 90'000);
    CHECK(script.decide(kBoth, 1).retry_after_us < 90'000'000);
    redis.ask({"DEL", "key"});
    CHECK_FALSE(script.decide(kBoth, 1).allowed);
    redis.ask({"DEL", "key:blocked"});
    CHECK(script.decide(kBoth, 1).allowed);
  }
}

TEST_CASE("a request that can never fit still reports that when it sets the flag") {
  const Server server;
  Connection redis = server.connect();
  Played script(redis, with_block(Registry().find("sliding-list")), {2, 1'000'000, 2}, kAnHour_ms);
  script.block_ms = 1000;
  CHECK(at(script, 0, 3).retry_after_us == -1);
  CHECK(redis.integer({"EXISTS", "key:blocked"}) == 1);
}

TEST_CASE("a foreign script is blocked and stamped according to its manifest's reply") {
  const Server server;
  Connection redis = server.connect();
  const std::string expressions =
      "reply = allowed = reply[1] <= limit, remaining = limit - reply[2]";
  const Script foreign =
      make_script("foreign.lua", std::string(kForeign).substr(6), {}, {"given", expressions});
  Played blocked(redis, with_block(foreign), {2, 1'000'000, 2});
  blocked.block_ms = 60'000;
  const auto decide = [&] { return blocked.decide(kBoth, 1); };
  const Answer first = decide();
  CHECK(first.allowed);
  CHECK(first.remaining == 2);  // 1 / 2 is sent as 0
  CHECK(decide().remaining == 1);
  CHECK(decide().retry_after_us == 60'000'000);
  CHECK(redis.text({"GET", "key"}) == "3");
  CHECK_FALSE(decide().allowed);
  CHECK(redis.text({"GET", "key"}) == "3");

  Played stamped(redis, with_stamps(foreign), {5, 1'000'000, 5});
  const Answered time = redis.ask({"TIME"});
  const Answer answer = stamped.decide("key", 1);
  CHECK(answer.allowed);
  CHECK(answer.remaining == 3);
  CHECK(answer.decided_us >= std::stoll(time.elements[0].text) * 1'000'000);
  CHECK_FALSE((stamped.decide("key", 1).allowed && stamped.decide("key", 1).allowed));
}

TEST_CASE("a bare reply is its own first value, and times are converted to microseconds") {
  const Server server;
  Connection redis = server.connect();
  const Script bare = make_script("bare.lua", "return ARGV[1] == '7'", {},
                                  {"given", "args = limit\nreply = allowed"});
  CHECK(Played(redis, with_stamps(bare), {7, 1'000, 7}).decide("key", 1).allowed);
  CHECK_FALSE(Played(redis, with_stamps(bare), {6, 1'000, 6}).decide("key", 1).allowed);
  const Script slow =
      make_script("slow.lua", "return {'0', 3}", {}, {"given", "reply = allowed, retry_after_s"});
  CHECK(Played(redis, with_stamps(slow), {7, 1'000, 7}).decide("key", 1).retry_after_us ==
        3'000'000);
}

TEST_CASE("a script's own error passes through a wrapper") {
  const Server server;
  Connection redis = server.connect();
  const Script failing = make_script("failing.lua", "return redis.error_reply('ERR mine')", {},
                                     {"given", "reply = allowed"});
  Played script(redis, with_stamps(failing), {1, 1'000, 1});
  CHECK(script.raw({"key"}, 1).text.find("mine") != std::string::npos);
}

TEST_CASE("a wrapped script keeps its first line and its arguments") {
  const Script script =
      with_block(make_script("foreign.lua", kForeign, {}, {"given", "reply = allowed"}));
  CHECK(script.text.starts_with("#!lua\n-- A block flag"));
  CHECK(script.sha1 == script_sha1(script.text));
  CHECK(script.manifest.keys == std::vector<std::string>{"<key>", "<block_key>"});
  CHECK_FALSE(script.manifest.takes_now());
  CHECK(script.manifest.reports(ReplyField::decided));
  CHECK(with_block(Registry().find("fixed")).manifest.takes_now());
}

TEST_CASE("a script with its own block flag gets no second one") {
  const Script script = make_script("own.lua", "return 1", {},
                                    {"given", "keys = <key>, <block_key>\nreply = allowed"});
  CHECK_THROWS_AS(with_block(script), const Error&);
}

TEST_CASE("a script that reports its decision time needs no stamp") {
  const Script script = Registry().find("gcra");
  CHECK(with_stamps(script).text == script.text);
}
