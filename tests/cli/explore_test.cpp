// rlctl explore as a user runs it: the shipped scripts, the published specimens, and the report of
// a race.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/process.h"
#include "tools/folder.h"

using nlohmann::json;
using rlctl::test::Folder;

namespace {

Outcome explore(const std::string& limiter, Arguments more) {
  Arguments arguments{"explore", limiter};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_rlctl(arguments);
}

json explored(const std::string& limiter, Arguments more) {
  more.push_back("--json");
  const Outcome outcome = explore(limiter, std::move(more));
  CAPTURE(limiter);
  CAPTURE(outcome.err);
  REQUIRE(!outcome.out.empty());
  return json::parse(outcome.out);
}

// The finding of this kind, or null.
json finding(const json& result, const std::string& kind) {
  for (const json& violation : result["violations"])
    if (violation["finding"] == kind) return violation;
  return nullptr;
}

const json& alone(const json& result) { return result["passes"][0]; }

const std::string kLua = RLCTL_SOURCE_DIR "/lua";

const std::string kFirstHit =
    "-- rlctl: args = limit\n-- rlctl: reply = allowed\n-- rlctl: clock = expiry\n"
    "-- rlctl: contract = limit/window first-hit\n";

// A counter whose key lives for `seconds`.
std::string counter_that_lives(const std::string& seconds) {
  return kFirstHit + "-- rlctl: run = server\nlocal n = redis.call('INCR', KEYS[1])\n" +
         "if n == 1 then redis.call('EXPIRE', KEYS[1], " + seconds + ") end\n" +
         "return n <= tonumber(ARGV[1]) and 1 or 0\n";
}

// The counter of a minute, read and written under a lock of a second.
const std::string kUnderShortLock = kFirstHit +
                                    R"(-- rlctl: run = client
if not redis.call('SET', KEYS[1] .. ':lock', 1, 'NX', 'PX', 1000) then return 0 end
local n = tonumber(redis.call('GET', KEYS[1]) or 0)
if n < tonumber(ARGV[1]) then
  redis.call('INCR', KEYS[1])
  if n == 0 then redis.call('EXPIRE', KEYS[1], 60) end
end
redis.call('DEL', KEYS[1] .. ':lock')
return n < tonumber(ARGV[1]) and 1 or 0
)";

}  // namespace

TEST_CASE("explore finds every specimen's race with the fewest preemptions possible") {
  struct Race {
    const char* specimen;
    int preemptions;
    int steps;
  };
  // get-then-incr and watch-ignored admit one too many by themselves (> for >=).
  for (const Race& race :
       {Race{"double-click", 1, 15}, Race{"get-then-incr", 0, 16}, Race{"watch-ignored", 0, 19},
        Race{"textbook-token-bucket", 1, 6}, Race{"check-then-add", 1, 9}}) {
    CAPTURE(race.specimen);
    const json result = explored(race.specimen, {"--users", "3", "--limit", "2"});
    const json found = finding(result, "over_admission");
    REQUIRE(!found.is_null());
    CHECK(result["verdict"] == "violated");
    CHECK(found["preemptions"] == race.preemptions);
    CHECK(found["steps"] == race.steps);
    CHECK(found["admitted"] == 3);
    CHECK(found["confirmed"] == true);
  }
}

// With `> 0` for `> 1` each is right by itself: what is left is the race.
TEST_CASE("without their off-by-one fault, the published counters still race") {
  for (const char* specimen : {"get-then-incr", "watch-ignored"}) {
    CAPTURE(specimen);
    const json result = explored(specimen, {"--users", "2", "--limit", "1", "--events", "none",
                                            "--manifest", "args = '0', ttl_s"});
    const json found = finding(result, "over_admission");
    REQUIRE(!found.is_null());
    CHECK(found["preemptions"] == 1);
    CHECK(found["confirmed"] == true);
  }
}

TEST_CASE("explore finds the state that a crash leaves behind") {
  for (const char* specimen : {"incr-then-expire", "textbook-fixed"}) {
    CAPTURE(specimen);
    const json result = explored(specimen, {"--users", "3", "--limit", "2"});
    const json found = finding(result, "key_without_expiry");
    REQUIRE(!found.is_null());
    CHECK(found["preemptions"] == 0);
    CHECK(found["steps"] == 2);
    CHECK(found["confirmed"] == true);
    CHECK(found["afterwards"].back() == "allowed");
    CHECK(finding(result, "over_admission").is_null());
  }
  const json result = explored("incr-expire-first", {"--users", "3", "--limit", "2"});
  const json found = finding(result, "blocked_for_ever");
  REQUIRE(!found.is_null());
  CHECK(found["replay"] == "0,c0");
  CHECK(found["afterwards"] == json{"allowed", "denied", "denied", "denied"});
  CHECK(found["confirmed"] == true);
}

TEST_CASE("every sound script is explored exhaustively without a violation") {
  for (const char* name :
       {"fixed", "fixed-anchored", "gcra", "leaky-bucket", "leaky-queue", "sliding",
        "sliding-counter", "sliding-list", "token-bucket", "log-by-uuid", "log-under-lock"}) {
    CAPTURE(name);
    const json result = explored(name, {"--users", "4", "--limit", "3", "--events", "none"});
    CHECK(result["verdict"] == "holds");
    CHECK(alone(result)["coverage"] == "exhaustive");
    CHECK(alone(result)["schedules"] == 24);
    CHECK(alone(result)["refusing"] == 0);
    CHECK(result["most_admitted"] == 3);
  }
}

TEST_CASE("a sound script races if it runs step by step") {
  const json result = explored("sliding-list", {"--users", "3", "--limit", "2", "--run", "client"});
  CHECK(result["verdict"] == "violated");
  CHECK(finding(result, "over_admission")["preemptions"] == 1);
}

TEST_CASE("optimistic locking never over-admits, and its false denials are counted") {
  const json result = explored("watch-incr", {"--users", "4", "--limit", "3", "--events", "none"});
  CHECK(result["verdict"] == "holds");
  CHECK(alone(result)["coverage"] == "exhaustive");
  CHECK(alone(result)["violating"] == 0);
  CHECK(alone(result)["refusing"].get<std::int64_t>() > 0);
  CHECK(result["least_admitted"] == 1);
  const json strict = explored(
      "watch-incr", {"--users", "3", "--limit", "2", "--events", "none", "--no-false-denials"});
  CHECK(strict["verdict"] == "violated");
  CHECK(finding(strict, "false_denial")["preemptions"] == 2);
}

TEST_CASE("a log that adds before it counts denies too much, and never admits too much") {
  const json result = explored("textbook-log", {"--users", "4", "--limit", "3", "--events", "none",
                                                "--clock-spread", "1ms"});
  CHECK(result["verdict"] == "holds");
  CHECK(alone(result)["violating"] == 0);
  CHECK(alone(result)["refusing"].get<std::int64_t>() > 0);
  CHECK(result["least_admitted"] == 0);
}

TEST_CASE("explore needs far fewer runs than there are schedules") {
  for (const char* name :
       {"check-then-add", "watch-incr", "double-click", "textbook-token-bucket"}) {
    CAPTURE(name);
    const json result = explored(name, {"--users", "4", "--limit", "3", "--events", "none"});
    const json& pass = alone(result);
    const double schedules = pass["schedules"].is_string() ? 1e16 : pass["schedules"].get<double>();
    CHECK(pass["runs"].get<double>() * 10 < schedules);
  }
}

TEST_CASE("a schedule can be played again and ends the same way") {
  const Arguments same{"--users", "3", "--limit", "2"};
  const json found = finding(explored("check-then-add", same), "over_admission");
  Arguments again = same;
  again.insert(again.end(), {"--replay", found["replay"].get<std::string>()});
  const json replayed = explored("check-then-add", again);
  CHECK(replayed["verdict"] == "violated");
  CHECK(replayed["violations"][0]["trace"] == found["trace"]);
  again.back() = "0,0,0,1";
  CHECK(explored("check-then-add", again)["verdict"] == "inconclusive");
}

TEST_CASE("a search that was cut short reports its coverage and is not a pass") {
  const json result = explored("log-under-lock", {"--users", "4", "--limit", "3", "--events",
                                                  "none", "--most-states", "50"});
  CHECK(result["verdict"] == "inconclusive");
  CHECK(alone(result)["coverage"] == "random");
  CHECK(alone(result)["random_schedules"] == 10000);
  const json& depths = alone(result)["depths"];
  REQUIRE(depths.size() == 3);
  CHECK(depths[0]["runs"].get<int>() > 3000);
  CHECK(depths[1]["missed_at_most"].get<double>() < 1e-6);
  CHECK(depths[2]["missed_at_most"].get<double>() > 0.01);
  const Outcome found = explore(
      "check-then-add", {"--users", "4", "--limit", "3", "--most-states", "5", "--events", "none"});
  CHECK(found.exit == 1);
}

TEST_CASE(
    "a race that is too deep for the search is found at random, and a real Redis repeats it") {
  const Arguments many{"--users",       "16",   "--limit", "15", "--events", "none",
                       "--most-states", "2000", "--seed",  "5"};
  const json result = explored("check-then-add", many);
  CHECK(result["verdict"] == "violated");
  const json found = finding(result, "over_admission");
  REQUIRE(!found.is_null());
  CHECK(found["by_chance"] == true);
  CHECK(found["confirmed"] == true);
  CHECK(explored("check-then-add", many)["violations"] == result["violations"]);
  Arguments again = many;
  again.insert(again.end(), {"--replay", found["replay"].get<std::string>()});
  CHECK(explored("check-then-add", again)["violations"][0]["confirmed"] == true);
}

TEST_CASE("an expiry that is given on some paths only is not called missing") {
  const Folder files;
  const std::string script =
      files.write("paths.lua", kFirstHit +
                                   "-- rlctl: run = client\n"
                                   "local n = redis.call('INCR', KEYS[1])\n"
                                   "if n == 2 then redis.call('EXPIRE', KEYS[1], 60) end\n"
                                   "return n <= tonumber(ARGV[1]) and 1 or 0\n");
  const std::string text =
      explore(script, {"--users", "3", "--limit", "2", "--events", "none"}).out;
  CHECK(contains(text, "the script gives 'api:u1' an expiry on some paths only"));
  CHECK_FALSE(contains(text, "never gives"));
}

TEST_CASE("a step of time shows the burst around a window's edge") {
  const Arguments steps{"--users",  "4",  "--limit",      "2",
                        "--window", "1s", "--time-steps", "999ms,1ms"};
  const json own = explored("fixed", steps);
  CHECK(own["verdict"] == "holds");
  Arguments policy = steps;
  policy.insert(policy.end(), {"--contract", "limit/window"});
  const json result = explored("fixed", policy);
  CHECK(result["verdict"] == "violated");
  CHECK(result["violations"][0]["confirmed"] == true);
}

TEST_CASE("a window that a first hit opened and that ends too early is a violation") {
  const Folder files;
  const std::string script = files.write("short.lua", counter_that_lives("1"));
  const Arguments steps{"--users", "3", "--limit", "2", "--time-steps", "2s"};
  const json result = explored(script, steps);
  CHECK(result["verdict"] == "violated");
  const json found = finding(result, "over_admission");
  REQUIRE(!found.is_null());
  CHECK(found["replay"] == "0,t,1,2");
  CHECK(found["confirmed"] == true);
  const std::string text = explore(script, steps).out;
  CHECK(contains(text, "=> ADMITTED, number 3, at T+2s"));
  CHECK_FALSE(contains(text, "number 3 of 2"));
}

TEST_CASE("a window that a first hit opened and that ends in time is not a violation") {
  const Folder files;
  const std::string script = files.write("minute.lua", counter_that_lives("60"));
  for (const std::string& limiter : {std::string("fixed-anchored"), script}) {
    const json result = explored(limiter, {"--users", "4", "--limit", "2", "--events", "expiry",
                                           "--time-steps", "30s,30s,1ms"});
    CHECK(result["verdict"] == "holds");
    CHECK(result["passes"][1]["coverage"] == "exhaustive");
    CHECK(result["most_admitted"] == 4);
    CHECK(result["reason"] == "");
  }
}

TEST_CASE("a lock that expires while its holder waits is found") {
  const Folder files;
  const std::string script = files.write("lock.lua", kUnderShortLock);
  const json result =
      explored(script, {"--users", "3", "--limit", "2", "--events", "none", "--time-steps", "2s"});
  const json found = finding(result, "over_admission");
  REQUIRE(!found.is_null());
  CHECK(found["confirmed"] == true);
  CHECK(finding(explored(script, {"--users", "3", "--limit", "2", "--events", "none"}),
                "over_admission")
            .is_null());
}

TEST_CASE("a holder that crashes before its finish leaks what it was given") {
  for (const char* specimen : {"slots", "renewed-slots"}) {
    CAPTURE(specimen);
    const json result =
        explored(kLua + "/specimens/" + specimen + ".lua", {"--users", "3", "--limit", "2"});
    CHECK(result["verdict"] == "violated");
    CHECK(finding(result, "over_admission").is_null());
    const json leak = finding(result, "leak");
    REQUIRE(!leak.is_null());
    CHECK(leak["replay"] == "0,c0");
    CHECK(leak["confirmed"] == true);
    CHECK(leak["afterwards"] == json{"allowed", "denied"});
    CHECK(alone(result)["leaking"] == 0);
    CHECK(result["passes"][1]["leaking"].get<int>() > 100);
  }
}

TEST_CASE("a lease neither leaks nor admits too many, and races if it runs step by step") {
  const Arguments four{"--users", "4", "--limit", "2", "--events", "crash,expiry"};
  const json sound = explored(kLua + "/lease.lua", four);
  CHECK(sound["verdict"] == "holds");
  CHECK(sound["passes"][1]["coverage"] == "exhaustive");
  CHECK(sound["most_admitted"] == 4);  // one after the other
  const json stepwise =
      explored(kLua + "/lease.lua", {"--users", "3", "--limit", "2", "--run", "client"});
  const json found = finding(stepwise, "over_admission");
  REQUIRE(!found.is_null());
  CHECK(found["preemptions"] == 1);
  CHECK(found["admitted"] == 3);
  CHECK(found["confirmed"] == true);
}

TEST_CASE("a budget that is settled afterwards is explored") {
  const Arguments three{"--users", "3", "--limit", "2"};
  const json sound = explored("token-budget", three);
  CHECK(sound["verdict"] == "holds");
  CHECK(sound["notes"] == json::array());  // the finish keeps the key's expiry
  CHECK(finding(explored("budget-afterwards", three), "over_admission")["replay"] == "0,1,2");
  Arguments edge = three;
  edge.insert(edge.end(), {"--time-steps", "61s"});
  const json rolled = finding(explored("rolled-slots", edge), "over_admission");
  REQUIRE(!rolled.is_null());
  CHECK(rolled["replay"] == "0,t,1,2");
  CHECK(rolled["confirmed"] == true);
}

TEST_CASE("a lease that is longer than the policy says is no leak") {
  const Folder files;
  files.write("give-back.lua",
              "-- rlctl: args = uuid\nreturn redis.call('ZREM', KEYS[1], ARGV[1])\n");
  for (const char* expiry : {"redis.call('EXPIRE', KEYS[1], 7200)", ""}) {
    CAPTURE(expiry);
    const std::string script = files.write("long.lua", std::string(R"(
-- rlctl: args = limit, now_s, uuid
-- rlctl: reply = allowed
-- rlctl: contract = limit in flight
-- rlctl: finish = give-back.lua
-- rlctl: run = server
-- rlctl: clock = argument
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2] - 600)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[3])
)") + expiry + "\nreturn 1\n");
    const json result = explored(script, {"--users", "3", "--limit", "2"});
    CHECK(finding(result, "leak").is_null());
    CHECK(finding(result, "over_admission").is_null());
  }
}

TEST_CASE("a lease that anybody's request ends gives away what others still hold") {
  const std::string script = kLua + "/specimens/renewed-slots.lua";
  const json result = explored(script, {"--users", "3", "--limit", "2", "--time-steps", "61s",
                                        "--events", "none", "--contract", "2 in flight"});
  const json found = finding(result, "over_admission");
  REQUIRE(!found.is_null());
  CHECK(found["replay"] == "0,t,1,2");
  CHECK(found["confirmed"] == true);
  // Under its own contract a lease ends, whoever still works.
  CHECK(finding(explored(script, {"--users", "3", "--limit", "2", "--time-steps", "61s"}),
                "over_admission")
            .is_null());
  const Outcome refused = explore("sliding", {"--contract", "2 in flight"});
  CHECK(refused.exit == 2);
  CHECK(contains(refused.err, "this script has no finish"));
}

TEST_CASE("a fair semaphore races between its counter and its order, step by step") {
  const Folder files;
  files.write("give-back.lua",
              "-- rlctl: keys = <key>, <key>:owner\n-- rlctl: args = uuid\n"
              "redis.call('ZREM', KEYS[1], ARGV[1]) return redis.call('ZREM', KEYS[2], ARGV[1])\n");
  const std::string script = files.write("fair.lua", R"(
-- rlctl: keys = <key>, <key>:owner, <key>:counter
-- rlctl: args = limit, window_ms, now_ms, uuid
-- rlctl: reply = allowed
-- rlctl: contract = limit in flight, lease window
-- rlctl: finish = give-back.lua
-- rlctl: run = server
-- rlctl: clock = argument
local now, me = tonumber(ARGV[3]), ARGV[4]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('ZINTERSTORE', KEYS[2], 2, KEYS[2], KEYS[1], 'WEIGHTS', 1, 0)
local number = redis.call('INCR', KEYS[3])
redis.call('ZADD', KEYS[1], now, me)
redis.call('ZADD', KEYS[2], number, me)
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], 2 * ARGV[2]) end
if redis.call('ZRANK', KEYS[2], me) < tonumber(ARGV[1]) then return 1 end
redis.call('ZREM', KEYS[1], me)
redis.call('ZREM', KEYS[2], me)
return 0
)");
  const Arguments two{"--users", "2", "--limit", "1"};
  CHECK(explored(script, two)["verdict"] == "holds");
  Arguments stepwise = two;
  stepwise.insert(stepwise.end(), {"--run", "client", "--events", "none"});
  const json found = finding(explored(script, stepwise), "over_admission");
  REQUIRE(!found.is_null());
  CHECK(found["admitted"] == 2);
  CHECK(found["preemptions"] == 1);
  CHECK(found["confirmed"] == true);
}

TEST_CASE("a script that packs its entries with struct is explored") {
  const Folder files;
  const std::string script =
      files.write("permits.lua", R"(-- rlctl: args = limit, window_ms, now_ms, uuid
-- rlctl: reply = allowed
-- rlctl: contract = limit/window
-- rlctl: run = server
-- rlctl: clock = argument
local used = 0
for _, entry in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[3] - ARGV[2] + 1, '+inf')) do
  local _, permits = struct.unpack('Bc0I', entry)
  used = used + permits
end
if used + 1 > tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], struct.pack('Bc0I', string.len(ARGV[4]), ARGV[4], 1))
return 1
)");
  const json result = explored(script, {"--users", "4", "--limit", "2"});
  CHECK(result["verdict"] == "holds");
  CHECK(result["most_admitted"] == 2);
  CHECK(alone(result)["refusing"] == 0);
}

TEST_CASE("a script that Redis has forgotten is loaded again, and the limit holds") {
  const json result =
      explored("sliding-list", {"--users", "3", "--limit", "2", "--events", "forget,expiry"});
  CHECK(result["verdict"] == "holds");
  CHECK(result["passes"][1]["coverage"] == "exhaustive");
  CHECK(result["passes"][1]["schedules"].get<int>() > 6);
}

TEST_CASE("every rule of the policy is judged, not only the one that the script is given") {
  const json result = explored("sliding", {"--policy", "2/1m & 1/1h"});
  CHECK(result["verdict"] == "violated");
  CHECK(result["notes"] == json::array({"'2/1m' is implied by '1/1h', so it needs no test"}));
  const json found = finding(result, "over_admission");
  REQUIRE(!found.is_null());
  CHECK(found["replay"] == "0,1");
  CHECK(found["confirmed"] == true);
}

TEST_CASE("a policy that is judged by the script's contract alone is named in a note") {
  const std::string lease = explore("lease", {"--policy", "2/1m"}).out;
  CHECK(contains(lease,
                 "note: the verdict is on the contract above, not on the policy '2/1m': to "
                 "judge that, add --contract 2/1m"));
  CHECK(explore("lease", {"--policy", "2/1m", "--contract", "2/1m"}).exit == 1);
  const std::string edge = explore("fixed", {"--time-steps", "59s,1s"}).out;
  CHECK(contains(edge, "not on the policy '2/1m'"));
  CHECK_FALSE(contains(explore("fixed", {}).out, "note:"));
}

TEST_CASE("explore refuses what it can't judge") {
  for (const Arguments& asked :
       {Arguments{"--policy", "2/1m, denied count"}, Arguments{"--policy", "2/1m, per user"},
        Arguments{"--contract", "2/1m, denied count"}}) {
    CAPTURE(asked[1]);
    const Outcome refused = explore("sliding", asked);
    CHECK(refused.exit == 2);
    CHECK(
        contains(refused.err, asked[0] + ": explore can't judge '" + asked[1] + "', only '2/1m'"));
  }
  const Outcome held = explore("sliding", {"--policy", "2 in flight"});
  CHECK(held.exit == 2);
  CHECK(contains(held.err, "this script has no finish"));
}

TEST_CASE("explore takes a block flag, and says that only admissions are judged") {
  const Outcome blocked = explore("sliding", {"--policy", "2/1m, block 1m"});
  CHECK(blocked.exit == 0);
  CHECK(contains(blocked.out, "explore judges only '2/1m'"));
}

TEST_CASE(
    "a rule that so few requests can't break is not tested, and the options that test it work") {
  const Arguments policy{"--policy", "2/1m & 5/1h"};
  Arguments asked = policy;
  asked.insert(asked.end(), {"--time-steps", "30m"});
  const Outcome few = explore("sliding", asked);
  CHECK(few.exit == 4);
  CHECK(contains(few.out,
                 "inconclusive: no order of 3 requests can break '5/1h' alone, so it was not "
                 "tested: use --users 6 --time-steps 1m,1m\n"));
  asked = policy;
  asked.insert(asked.end(), {"--users", "6", "--time-steps", "1m,1m"});
  const Outcome enough = explore("sliding", asked);
  CHECK(enough.exit == 1);
  CHECK(contains(enough.out, "violated: 6 admissions; the promise is at most 5 in any 1h\n"));
}

TEST_CASE("without --users, a few more clients are explored if the limit needs them") {
  CHECK(explored("sliding", {"--policy", "5/1m"})["clients"] == 6);
  CHECK(explored("sliding", {"--policy", "5/1m"})["verdict"] == "holds");
  CHECK(explored("check-then-add", {"--limit", "3"})["clients"] == 4);
  CHECK(explored("sliding", {})["clients"] == 3);
}

TEST_CASE("of several rules, the one that is broken is told in its own words") {
  const Outcome window = explore("lease", {"--policy", "2 in flight & 2/1m"});
  CHECK(contains(window.out, "violated: 3 admissions; the promise is at most 2 in any 1m\n"));
  CHECK(contains(window.out, "=> ADMITTED, number 3 "));
  CHECK_FALSE(contains(window.out, "held at once"));
  const Outcome held =
      explore("lease", {"--policy", "2 in flight & 9/1m", "--run", "client", "--users", "3"});
  CHECK(contains(held.out,
                 "violated: 3 held at once; the promise is at most 2 held at any instant\n"));
}
