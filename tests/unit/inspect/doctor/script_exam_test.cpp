#include "inspect/doctor/script_exam.h"

#include <doctest/doctest.h>

#include "limiter/registry.h"

using namespace rlctl;

namespace {

std::vector<std::string> examined(const std::string& source) {
  HealthFindings findings;
  examine_script("mine.lua", source, findings);
  std::vector<std::string> names;
  for (const HealthFinding& finding : findings)
    names.push_back(std::string(finding.row().name) + " " + finding.seen);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("each mistake in a script is found in its line") {
  CHECK(examined("-- count\nredis.call('INCR', KEYS[1])\nreturn 1") ==
        Names{"writes-without-expiry mine.lua:2: 'redis.call('INCR', KEYS[1])'"});
  CHECK(examined("redis.call('INCR', KEYS[1])\nredis.call('EXPIRE', KEYS[1], 60)") ==
        Names{"renewed-expiry mine.lua:2: 'redis.call('EXPIRE', KEYS[1], 60)'"});
  CHECK(examined("redis.call('ZADD', KEYS[1], now, now)\nredis.call('EXPIRE', KEYS[1], 60)") ==
        Names{"member-is-time mine.lua:1: 'redis.call('ZADD', KEYS[1], now, now)'"});
  CHECK(examined("local now = t[1] * 1000000 + t[2]\nlocal text = tostring(now)") ==
        Names{"time-loses-digits mine.lua:2: 'local text = tostring(now)'"});
  CHECK(examined(
            "local n = redis.call('ZCARD', KEYS[1])\nif n <= limit then\n"
            "  redis.call('ZADD', KEYS[1], now, id)\n  redis.call('EXPIRE', KEYS[1], 60)\nend") ==
        Names{"one-too-many mine.lua:2: 'if n <= limit then'"});
}

TEST_CASE("what is right in a script is not a finding") {
  CHECK(examined("local n = redis.call('INCR', KEYS[1])\n"
                 "if n == 1 then redis.call('EXPIRE', KEYS[1], 60) end\nreturn n")
            .empty());
  CHECK(examined("redis.call('SET', KEYS[1], 1, 'PX', 60000)").empty());
  CHECK(examined("redis.call('INCR', KEYS[1])\nredis.call('EXPIRE', KEYS[1], 60, 'NX')").empty());
  CHECK(examined("-- redis.call('INCR', KEYS[1])").empty());
}

TEST_CASE("the sound scripts of rlctl have none of these mistakes") {
  const Registry registry;
  const std::vector<std::string> names = registry.sound_names();
  REQUIRE(names.size() > 5);
  for (const std::string& name : names) {
    CAPTURE(name);
    HealthFindings findings;
    examine_script(name, registry.find(name).text, findings);
    CHECK(findings.empty());
  }
}
