#include "inspect/doctor/script_exam.h"

#include <doctest/doctest.h>

#include <map>

#include "limiter/registry.h"

using namespace rlctl;

namespace {

std::vector<std::string> examined(const std::string& source,
                                  RandomWrites random_writes = RandomWrites::not_asked) {
  HealthFindings findings;
  examine_script("mine.lua", source, random_writes, findings);
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

TEST_CASE("a key without an expiry is found beside one that has it") {
  CHECK(examined("local count, flag = KEYS[1], KEYS[2]\nredis.call('INCR', count)\n"
                 "if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('EXPIRE', count, 60) end\n"
                 "redis.call('SET', flag, 1)") ==
        Names{"writes-without-expiry mine.lua:4: 'redis.call('SET', flag, 1)'"});
  CHECK(examined("redis.call('SET', KEYS[1], 1, 'EX', 60)\nif n then\n"
                 "  redis.call('SET', KEYS[1], n)\nend") ==
        Names{"writes-without-expiry mine.lua:3: 'redis.call('SET', KEYS[1], n)'"});
  CHECK(examined("local n = redis.call('INCRBY', KEYS[1], ARGV[2])\n"
                 "if n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end") ==
        Names{"writes-without-expiry mine.lua:2: "
              "'if n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end'"});
  CHECK(examined("for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, 60) end\n"
                 "redis.call('ZADD', KEYS[1], now, id)")
            .empty());
  CHECK(examined("redis.call('SET', KEYS[1], n)\nredis.call('EXPIRE', KEYS[1], 60)").empty());
}

TEST_CASE("a path on which the key gets no expiry is found") {
  const std::string count = "local n = redis.call('INCR', KEYS[1])\n";
  CHECK(examined(count + "if n > limit then return 0 end\nredis.call('EXPIRE', KEYS[1], 60)") ==
        Names{"writes-without-expiry mine.lua:2: 'if n > limit then return 0 end'"});
  CHECK(examined(count + "if ARGV[1] == 'x' then redis.call('EXPIRE', KEYS[1], 60) end") ==
        Names{"writes-without-expiry mine.lua:1: 'local n = redis.call('INCR', KEYS[1])'"});
  CHECK(examined(count + "if n == 1 then\n  if ARGV[2] then redis.call('EXPIRE', KEYS[1], 60) end\n"
                         "end") ==
        Names{"writes-without-expiry mine.lua:1: 'local n = redis.call('INCR', KEYS[1])'"});
  CHECK(examined("local function add(key)\n  redis.call('INCR', key)\n"
                 "  if ARGV[1] == 'x' then redis.call('EXPIRE', key, 60) end\nend\nadd(KEYS[1])") ==
        Names{"writes-without-expiry mine.lua:2: 'redis.call('INCR', key)'"});
}

TEST_CASE("a path on which the key has its expiry from its first write is sound") {
  const std::string count = "local n = redis.call('INCR', KEYS[1])\n";
  const std::string expire = "redis.call('EXPIRE', KEYS[1], 60)";
  for (const std::string& rest :
       {"local fresh = n == 1\nif fresh then " + expire + " end",
        "if n > 1 then return n end\n" + expire,
        "local ttl = redis.call('TTL', KEYS[1])\nif ttl < 0 then " + expire +
            " end\nif n > limit then return 0 end",
        "if ARGV[1] == 'x' then " + expire + " else redis.call('PEXPIRE', KEYS[1], 9, 'NX') end",
        "if n == 1 then " + expire + " return 1 end\nif n > limit then return 0 end\nreturn 1",
        "if n > limit then redis.call('DEL', KEYS[1]) return 0 end\nif n == 1 then " + expire +
            " end"}) {
    CAPTURE(rest);
    std::vector<std::string> found = examined(count + rest);
    std::erase_if(found, [](const std::string& one) { return one.starts_with("renewed-expiry"); });
    CHECK(found.empty());
  }
  CHECK(examined("local n = redis.call('GET', KEYS[1])\nif not n then\n"
                 "  redis.call('SET', KEYS[1], 1, 'EX', 60)\n  return 1\nend\n"
                 "if tonumber(n) >= limit then return 0 end\nreturn redis.call('INCR', KEYS[1])")
            .empty());
  CHECK(examined("if redis.call('EXISTS', KEYS[1]) == 0 then\n"
                 "  redis.call('SET', KEYS[1], 0, 'EX', 60)\nend\nredis.call('INCR', KEYS[1])")
            .empty());
}

TEST_CASE("an expiry that each hit of a hash renews is found") {
  CHECK(examined("redis.call('HINCRBY', KEYS[1], ARGV[1], 1)\nredis.call('EXPIRE', KEYS[1], 60)") ==
        Names{"renewed-expiry mine.lua:2: 'redis.call('EXPIRE', KEYS[1], 60)'"});
}

TEST_CASE("a count that is compared where it is read is found") {
  for (const std::string limit : {"ARGV[2]", "tonumber(ARGV[2])", "limit"}) {
    CAPTURE(limit);
    const std::string line = "if redis.call('ZCARD', KEYS[1]) <= " + limit + " then";
    CHECK(examined(line + "\n  redis.call('ZADD', KEYS[1], now, id)\n"
                          "  redis.call('EXPIRE', KEYS[1], 60)\nend") ==
          Names{"one-too-many mine.lua:1: '" + line + "'"});
  }
  CHECK(examined("if redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[2]) then\n"
                 "  redis.call('ZADD', KEYS[1], now, id)\n  redis.call('EXPIRE', KEYS[1], 60)\nend")
            .empty());
}

TEST_CASE("a time in microseconds loses digits where it becomes text") {
  CHECK(examined("local id = (t[1] * 1e6 + t[2]) .. ''").empty());
  CHECK(examined("local now = t[1] * 1e6 + t[2]\nlocal id = now .. ':' .. ARGV[1]") ==
        Names{"time-loses-digits mine.lua:2: 'local id = now .. ':' .. ARGV[1]'"});
  CHECK(examined("local id = tostring(t[1] * 1000000 + t[2])") ==
        Names{"time-loses-digits mine.lua:1: 'local id = tostring(t[1] * 1000000 + t[2])'"});
  CHECK(examined("local now = t[1] * 1000000 + t[2]\nreturn tostring(left)").empty());
}

TEST_CASE("a write after TIME, if somebody asks") {
  const std::string script =
      "local t = redis.call('TIME')\nredis.call('SET', KEYS[1], t[1], 'EX', 60)";
  const std::string seen = " mine.lua:2: 'redis.call('SET', KEYS[1], t[1], 'EX', 60)'";
  CHECK(examined(script).empty());
  CHECK(examined(script, RandomWrites::accepted) == Names{"time-before-write" + seen});
  CHECK(examined(script, RandomWrites::refused) == Names{"write-refused" + seen});
  CHECK(examined("redis.replicate_commands()\n" + script, RandomWrites::refused).empty());
  CHECK(examined("redis.call('SET', KEYS[1], 1, 'EX', 60)\nreturn redis.call('TIME')",
                 RandomWrites::refused)
            .empty());
}

TEST_CASE("a script of any shape is examined") {
  const std::string long_name(200'000, 'a');
  CHECK(examined("local now = " + long_name + " * 1000000\nlocal " + long_name + " = KEYS[1]")
            .empty());
  CHECK(examined("n =" + std::string(200'000, '\n') + "1").empty());
  CHECK(examined("n =" + std::string(200'000, ' ') + "1").empty());
  std::string statements;
  for (int i = 0; i < 2'000; ++i) statements += "local a = b + c; ";
  CHECK(examined(statements + "redis.call('INCR', KEYS[1])").size() == 1);
}

TEST_CASE("what is right in a script is not a finding") {
  CHECK(examined("local n = redis.call('INCR', KEYS[1])\n"
                 "if n == 1 then redis.call('EXPIRE', KEYS[1], 60) end\nreturn n")
            .empty());
  CHECK(examined("redis.call('SET', KEYS[1], 1, 'PX', 60000)").empty());
  CHECK(examined("redis.call('INCR', KEYS[1])\nredis.call('EXPIRE', KEYS[1], 60, 'NX')").empty());
  CHECK(examined("-- redis.call('INCR', KEYS[1])").empty());
}

TEST_CASE("the sound scripts of rlctl have none of these mistakes, and specimens have theirs") {
  const std::map<std::string, Names> known{
      {"check-then-add", {"writes-without-expiry"}},
      {"counter-per-process", {"renewed-expiry"}},
      {"double-click", {"renewed-expiry"}},
      {"fixed-by-key", {"renewed-expiry"}},
      {"get-then-incr", {"renewed-expiry"}},
      {"incr-then-expire", {"renewed-expiry"}},
      {"ip-block-flag", {"member-is-time", "writes-without-expiry"}},
      {"log-under-lock", {"writes-without-expiry"}},
      {"renewed-counter", {"renewed-expiry"}},
      {"renewed-slots", {"renewed-expiry"}},
      {"rolled-slots", {"renewed-expiry"}},
      {"slots", {"writes-without-expiry"}},
      {"textbook-fixed", {"renewed-expiry"}},
      {"textbook-leaky-bucket", {"writes-without-expiry"}},
      {"textbook-log", {"member-is-time", "writes-without-expiry"}},
      {"textbook-log-atomic", {"member-is-time", "writes-without-expiry"}},
      {"textbook-token-bucket", {"writes-without-expiry"}},
      {"watch-ignored", {"renewed-expiry"}},
  };
  const Registry registry;
  const std::vector<std::string> names = registry.names();
  REQUIRE(names.size() > known.size());
  for (const std::string& name : names) {
    CAPTURE(name);
    HealthFindings findings;
    examine_script(name, registry.find(name).text, RandomWrites::not_asked, findings);
    Names told;
    for (const HealthFinding& finding : findings) told.emplace_back(finding.row().name);
    const auto expected = known.find(name);
    CHECK(told == (expected == known.end() ? Names{} : expected->second));
  }
}
