// --as for libraries whose scripts no Debian or npm package has: these scripts here have their
// keys, arguments, state and reply. The originals of other libraries are in real/scripts_test.cpp.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/test_redis.h"
#include "tools/folder.h"

using nlohmann::json;
using rlctl::test::Folder;

namespace {

struct Called {
  std::string layout;
  std::string hit_policy;  // three at once, and then for an hour nothing
  std::string policy;      // for traffic
  std::string script;
  bool promises = true;
  std::string key = "u1";  // of limits, as it makes them
};

const std::string kBucketByInterval = R"(
local now, size, interval = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local state = redis.call('HMGET', KEYS[1], 's', 't', 'k')
local start, last = tonumber(state[1]) or now, tonumber(state[2]) or 0
local tokens = tonumber(state[3]) or size
local tick = math.max(0, math.floor((now - start) / interval))
if tick > last then
  last, tokens = tick, size
  redis.call('HSET', KEYS[1], 'i', interval)
end
redis.call('HSET', KEYS[1], 's', start, 't', last, 'm', size, 'k', math.max(0, tokens - 1))
redis.call('EXPIRE', KEYS[1], 3 * math.floor(interval / 1e9))
return {size, math.max(0, tokens - 1), start + (tick + 1) * interval, tokens > 0}
)";

const std::string kGcraSince2017 = R"(
local emission, time = ARGV[3] / ARGV[2], redis.call('TIME')
local now = time[1] - 1483228800 + time[2] / 1000000
local idle_at = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local new = idle_at + emission * ARGV[4]
local spare = now - (new - emission * ARGV[1])
local left = math.floor(spare / emission + 0.5)
if left < 0 then return {1, 0, tostring(-spare), tostring(idle_at - now)} end
redis.call('SET', KEYS[1], string.format('%.6f', new), 'EX', math.ceil(new - now))
return {0, left, '-1', tostring(new - now)}
)";

const std::string kPermits = R"(
local config = redis.call('HMGET', KEYS[1], 'rate', 'interval', 'type')
if not config[1] then error('the rate is not set') end
local value, given = KEYS[2], KEYS[4]
if config[3] == '1' then value, given = KEYS[3], KEYS[5] end
local rate, interval, now = tonumber(config[1]), tonumber(config[2]), tonumber(ARGV[2])
local left, back = tonumber(redis.call('GET', value) or rate), 0
for _, entry in ipairs(redis.call('ZRANGEBYSCORE', given, 0, now - interval)) do
  local _, permits = struct.unpack('Bc0I', entry)
  back = back + permits
end
if back > 0 then redis.call('ZREMRANGEBYSCORE', given, 0, now - interval) end
left = left + back
if left < tonumber(ARGV[1]) then
  redis.call('SET', value, left)
  local oldest = redis.call('ZRANGE', given, 0, 0, 'WITHSCORES')
  return 3 + interval - (now - tonumber(oldest[2]))
end
redis.call('ZADD', given, now, struct.pack('Bc0I', #ARGV[3], ARGV[3], ARGV[1]))
redis.call('SET', value, left - ARGV[1])
return nil
)";

const std::string kHeld = R"(
local now = tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 60000)
local count = redis.call('ZCARD', KEYS[1])
local allowed = count < tonumber(ARGV[1]) and ARGV[2] == '0' and ARGV[3] == '0'
if allowed then redis.call('ZADD', KEYS[1], now, ARGV[5]) end
redis.call('HINCRBY', KEYS[3], allowed and 'total_successful' or 'total_failed', 1)
return {allowed, count, false, redis.call('ZCARD', KEYS[2])}
)";

const Called kWindows[] = {
    {"kong", "3/1h", "20/1s", R"(
local before = redis.call('INCR', KEYS[1]) - 1
if before == 0 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return before
)"},
    {"ulule-limiter", "3/1h", "20/1s", R"(
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
if count == tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {count, redis.call('PTTL', KEYS[1])}
)"},
    {"aspnet-redis-fixed-window", "3/1h", "20/1s", R"(
local ends = tonumber(redis.call('GET', KEYS[2]))
if not ends or ends < tonumber(ARGV[2]) then
  ends = tonumber(ARGV[1])
  redis.call('SET', KEYS[1], 0)
  redis.call('SET', KEYS[2], ends)
  redis.call('PEXPIREAT', KEYS[1], ends + 1)
  redis.call('PEXPIREAT', KEYS[2], ends + 1)
end
local count = tonumber(redis.call('GET', KEYS[1]) or 0)
local allowed = count + ARGV[4] <= tonumber(ARGV[3])
if allowed then count = redis.call('INCRBY', KEYS[1], ARGV[4]) end
return {count, ends, allowed}
)"},
    {"aspnet-redis-sliding-window", "3/1h", "20/1s", R"(
local now, window = tonumber(ARGV[3]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local count = redis.call('ZCARD', KEYS[1])
local allowed = count < tonumber(ARGV[1])
if allowed then redis.call('ZADD', KEYS[1], now, ARGV[4]) end
redis.call('HINCRBY', KEYS[2], allowed and 'total_successful' or 'total_failed', 1)
redis.call('PEXPIREAT', KEYS[1], now + window + 1)
redis.call('PEXPIREAT', KEYS[2], now + window + 1)
return {allowed, count}
)"},
    {"aspnet-redis-token-bucket", "bucket 3 + 3/1h", "bucket 20 + 20/1s", R"(
local rate, size, period = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local cost, now = tonumber(ARGV[4]), tonumber(ARGV[5])
local filled = tonumber(redis.call('GET', KEYS[2]) or 0)
local periods = math.max(0, math.floor((now - filled) / period))
local tokens = math.min(size, tonumber(redis.call('GET', KEYS[1]) or size) + periods * rate)
if filled == 0 then filled = now else filled = filled + periods * period end
if tokens < cost then return {false, tokens, period - (now - filled)} end
local ttl = math.ceil(size / rate) * period
redis.call('SET', KEYS[1], tokens - cost, 'PX', ttl)
redis.call('SET', KEYS[2], filled, 'PX', ttl)
return {true, tokens - cost, 0}
)"},
    {"redisson", "3/1h", "20/1s", kPermits},
    {"go-redisstore", "bucket 3 + 3/1h", "bucket 20 + 20/1s", kBucketByInterval},
    {"redis-gcra", "bucket 3 + 3/1h", "bucket 20 + 20/1s", kGcraSince2017},
    {"limits-sliding-window-counter", "3/1h", "20/1s", R"(
local limit, expiry_ms, cost = tonumber(ARGV[1]), ARGV[2] * 1000, tonumber(ARGV[3])
local left_ms = redis.call('PTTL', KEYS[2])
if left_ms > 0 and left_ms < expiry_ms then
  redis.call('RENAME', KEYS[2], KEYS[1])
  redis.call('SET', KEYS[2], 0, 'PX', left_ms + expiry_ms)
end
local before = tonumber(redis.call('GET', KEYS[1]) or 0)
local weight = math.max(0, redis.call('PTTL', KEYS[1])) / expiry_ms
local count = tonumber(redis.call('GET', KEYS[2]) or 0)
if math.floor(before * weight) + count + cost > limit then return false end
if count == 0 and redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('SET', KEYS[2], cost, 'PX', 2 * expiry_ms)
else
  redis.call('INCRBY', KEYS[2], cost)
end
return true
)",
     false, "LIMITER/u1/3/1/hour"}};

Arguments played(Arguments arguments, const Called& library, const std::string& file,
                 const std::string& policy) {
  arguments.insert(arguments.end(), {"--script", file, "--as", library.layout, "--policy", policy});
  return arguments;
}

// What the log says of its own contract, as its header has it.
std::string contract_of_log(const std::string& log) {
  const Outcome outcome = run_rlctl({"verify", log, "--json"});
  INFO(outcome.err);
  REQUIRE(!outcome.out.empty());
  const json told = json::parse(outcome.out);
  return told["own_contract"].is_null() ? "none" : told["own_contract"]["verdict"];
}

const Called& of(std::string_view layout) {
  for (const Called& library : kWindows)
    if (library.layout == layout) return library;
  FAIL("no " << layout);
  return kWindows[0];
}

}  // namespace

TEST_CASE("a script called as its library calls it stores what inspect knows as the library's") {
  const Folder folder;
  for (const Called& library : kWindows) {
    CAPTURE(library.layout);
    TestRedis redis;
    const std::string file = folder.write(library.layout + ".lua", library.script);
    const Outcome hits = redis.rlctl(
        played({"hit", library.key, "--requests", "4"}, library, file, library.hit_policy));
    INFO(hits.out << hits.err);
    CHECK(hits.exit == 1);
    CHECK(hits.out.find("denied") > hits.out.rfind("allowed"));
    CHECK(std::ranges::count(hits.out, '\n') == 4);
    const json limiters =
        json::parse(redis.rlctl({"inspect", library.key, "--json", "--policy", library.hit_policy})
                        .out)["limiters"];
    REQUIRE(limiters.size() == 1);
    const json& known = limiters[0]["library"];
    CHECK(contains(known["layouts"].dump(), '"' + library.layout + '"'));
    CHECK(known["client"] == "u1");
  }
}

TEST_CASE("a library's script is judged by the contract of its layout, and so is its log") {
  const Folder folder;
  for (const Called& library : kWindows) {
    CAPTURE(library.layout);
    const std::string file = folder.write(library.layout + ".lua", library.script);
    const std::string log = folder / "run.jsonl";
    const Outcome outcome =
        run_rlctl(played({"simulate", "boundary", "--json", "--quiet", "--log", log}, library, file,
                         library.policy));
    INFO(outcome.err);
    REQUIRE(!outcome.out.empty());  // a busy machine may prove nothing
    const json told = json::parse(outcome.out);
    CHECK(told["totals"]["allowed"] > 0);
    CHECK(told["totals"]["denied"] > 0);
    CHECK(told["totals"]["unknown"] == 0);
    CHECK(told["totals"]["failed"] == 0);
    CHECK(told["own_contract"].is_null() != library.promises);
    const json contract = library.promises ? told["own_contract"]["verdict"] : json("none");
    CHECK(contract == contract_of_log(log));
    CHECK(contract != "violated");
  }
}

TEST_CASE("a library's script that breaks its contract is caught") {
  const Folder folder;
  // Of ulule's shape, but the window begins again with every request that is not the first.
  const std::string file = folder.write("theirs.lua",
                                        "local count = redis.call('INCRBY', KEYS[1], ARGV[1])\n"
                                        "if count > 10 then redis.call('SET', KEYS[1], 0) end\n"
                                        "return {count, ARGV[2]}\n");
  const std::string log = folder / "run.jsonl";
  const Outcome outcome =
      run_rlctl(played({"simulate", "boundary", "--json", "--quiet", "--log", log},
                       of("ulule-limiter"), file, "20/1s"));
  CHECK(outcome.exit == 1);
  CHECK(json::parse(outcome.out)["own_contract"]["verdict"] == "violated");
  CHECK(contract_of_log(log) == "violated");
}

TEST_CASE("bench plays libraries' scripts, with their set-up, and leaves none of their keys") {
  const Folder folder;
  TestRedis redis;
  for (const char* layout : {"redisson", "aspnet-redis-sliding-window", "kong"}) {
    CAPTURE(layout);
    const Called& library = of(layout);
    const std::string file = folder.write("theirs.lua", library.script);
    const std::string log = folder / "bench.jsonl";
    const Outcome outcome =
        redis.rlctl(played({"bench", "--rounds", "1", "--for", "50ms", "--warm-up", "10ms",
                            "--users", "4", "--keys", "100", "--json", "--quiet", "--log", log},
                           library, file, library.policy));
    INFO(outcome.err);
    REQUIRE(outcome.exit == 0);
    const json measured = json::parse(outcome.out)["algorithms"][0];
    CHECK(measured["decisions_per_second"] > 0);
    CHECK(measured["attacks"].size() == 3);
    CHECK(measured["own_contract"] != "violated");
    CHECK(contract_of_log(log) != "violated");
    CHECK(redis.number({"DBSIZE"}) == 0);
  }
}

TEST_CASE("explore sets up a library's limiter, and gives back what its client held") {
  const Folder folder;
  const auto explored = [&](const std::string& layout, const std::string& script,
                            const std::string& policy, const std::string& events) {
    const std::string file = folder.write(layout + ".lua", script);
    const Outcome outcome = run_rlctl({"explore", file, "--as", layout, "--users", "2", "--policy",
                                       policy, "--events", events, "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.exit < 2);
    return json::parse(outcome.out);
  };
  const std::string held = "aspnet-redis-concurrency";
  CHECK(explored("redisson", kPermits, "1/1s", "none")["verdict"] == "holds");
  CHECK(explored(held, kHeld, "1 in flight", "none")["verdict"] == "holds");
  // As the original, it sets no expiry: what a crashed client held stays.
  CHECK(explored(held, kHeld, "1 in flight", "crash")["verdict"] == "violated");
}

TEST_CASE("what a library's client holds is given back by the command of its layout") {
  const Folder folder;
  const std::string file = folder.write("held.lua", kHeld);
  const Outcome outcome =
      run_rlctl({"simulate", "flood", "--script", file, "--as", "aspnet-redis-concurrency",
                 "--policy", "3 in flight", "--for", "500ms", "--hold", "20ms", "--users", "10",
                 "--key", "all", "--json", "--quiet"});
  INFO(outcome.err);
  REQUIRE(!outcome.out.empty());
  const json told = json::parse(outcome.out);
  CHECK(told["verdict"] != "violated");
  CHECK(told["totals"]["allowed"] > 3);  // more than are held at once: they came back
}

TEST_CASE("a library that counts by the calendar's periods says which windows it knows") {
  TestRedis redis;
  const Folder folder;
  const Called& kong = of("kong");
  const std::string file = folder.write("kong.lua", kong.script);
  const Outcome odd = redis.rlctl(played({"hit", "u1"}, kong, file, "3/5s"));
  CHECK(odd.exit == 2);
  CHECK(contains(odd.err, "its key names the period, and 5s is none"));
  CHECK(contains(odd.err, "use a window of 1s, 1m, 1h or 1d"));
}
