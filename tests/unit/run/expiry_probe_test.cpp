// Scripts that the virtual clock would misjudge, because Redis does not share it.
#include "run/expiry_probe.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "tools/contains.h"

using rlctl::test::contains;

namespace rlctl {
namespace {

Script told(const std::string& body, const std::string& more = {}) {
  return make_script("mine.lua", body, {},
                     {"--manifest",
                      "args = limit, window_ms, now_ms, uuid\n"
                      "reply = allowed\n" +
                          more});
}

std::string why(const Script& script) {
  return why_in_real_time(script, policy_of({Rule{.limit = 50, .window_us = 60'000'000}}));
}

// An exact log; `before` and `denied` are added to it.
std::string log_with(const std::string& before, const std::string& denied,
                     const std::string& expiry = "redis.call('PEXPIRE', KEYS[1], ARGV[2])") {
  return before + R"(
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3] - ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then
)" + denied +
         R"( return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[4])
)" + expiry +
         "\nreturn 1";
}

}  // namespace

TEST_CASE("an expiry that changes no decision is no reason against the virtual clock") {
  CHECK(why(told(log_with("", ""))) == "");
  CHECK(why(told(log_with("", "", ""))) == "");
}

TEST_CASE("a block that ends when its key expires is one") {
  const std::string blocked = "if redis.call('EXISTS', KEYS[1] .. ':b') == 1 then return 0 end";
  const std::string blocks = "redis.call('SET', KEYS[1] .. ':b', 1, 'PX', ARGV[2])";
  CHECK(contains(why(told(log_with(blocked, blocks))), "depends on when 'key:b' expires"));
  // As long as the flag is not read, it changes nothing.
  CHECK(why(told(log_with("", blocks))) == "");
}

TEST_CASE("a virtual date that Redis takes for the past is one, however the command is named") {
  const std::string date = "redis.call('PEXPIRE' .. 'AT', KEYS[1], ARGV[3] + ARGV[2])";
  CHECK(contains(why(told(log_with("", "", date))), "depends on when 'key' expires"));
}

TEST_CASE("clock = expiry is one, whatever the arguments are") {
  CHECK(contains(why(told(log_with("", ""), "clock = expiry\n")), "expire in real time"));
}

TEST_CASE("of the shipped scripts that are told the time, none depends on its expiry") {
  const Registry registry;
  int told_time = 0;
  for (const auto& [name, script] : registry.scripts()) {
    if (!needs_real_time(script).empty()) continue;
    CAPTURE(name);
    CHECK(why(script) == "");
    ++told_time;
  }
  CHECK(told_time > 10);
}

TEST_CASE("a script with commands that the model does not know is left to the user") {
  CHECK(why(told("return redis.call('PFADD', KEYS[1], ARGV[4])")) == "");
}

TEST_CASE("the refusal has the reason and what to do") {
  CHECK_THROWS_WITH_AS(require_virtual_clock(told("return 1", "clock = expiry\n"), Policy()),
                       "'mine' can't run on the virtual clock: its keys expire in real time",
                       Error);
}

}  // namespace rlctl
