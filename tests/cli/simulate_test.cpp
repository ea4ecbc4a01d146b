// rlctl simulate on the real binary: with an embedded Redis, or a server of the test.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/utf8.h"
#include "cli/support/killed_run.h"
#include "cli/support/process.h"
#include "cli/support/test_redis.h"
#include "tools/folder.h"

using Json = nlohmann::json;
using rlctl::display_width;

namespace {

struct Simulated {
  int exit = -1;
  Json json;
};

Simulated simulate(Arguments arguments) {
  arguments.insert(arguments.begin(), "simulate");
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  const Outcome outcome = run_rlctl(arguments);
  INFO(outcome.err);
  REQUIRE_FALSE(outcome.out.empty());
  return {outcome.exit, Json::parse(outcome.out)};
}

const Json& phase(const Simulated& simulated, const std::string& name) {
  for (const Json& phase : simulated.json["phases"])
    if (phase["name"] == name) return phase;
  FAIL("there is no phase " << name);
  return simulated.json;
}

}  // namespace

TEST_CASE("a run that is killed leaves its records, and verify says that they are not all") {
  const rlctl::test::Folder folder;
  check_killed_run(
      {"simulate", "poisson", "--clock", "wall", "--limit", "5", "--window", "1s", "--for", "1m"},
      folder / "run.jsonl", "9");
}

TEST_CASE("on a terminal only commands to paste may be wider than the terminal") {
  const Outcome shown =
      run_rlctl_on_terminal({"simulate", "boundary", "--algo", "fixed", "--quiet"});
  REQUIRE(shown.exit == 1);
  std::istringstream text(shown.out);
  std::size_t lines = 0;
  for (std::string line; std::getline(text, line); ++lines) {
    CAPTURE(line);
    CHECK((display_width(line) <= 81 || contains(line, "rlctl ")));  // with the CR of a terminal
  }
  CHECK(lines > 20);
  const Outcome explored = run_rlctl_on_terminal(
      {"explore", "check-then-add", "--users", "2", "--limit", "1", "--events", "none"});
  CHECK(contains(explored.out,
                 "to replay it: rlctl explore check-then-add --users 2 --policy 1/1m --replay "));
}

TEST_CASE("simulate bot: 30 a minute with a limit of 20 gets 20 a minute, and the limiter holds") {
  const Simulated bot = simulate({"bot"});
  CHECK(bot.exit == 0);
  CHECK(bot.json["verdict"] == "holds");
  CHECK(bot.json["clock"] == "virtual");
  CHECK(phase(bot, "bot")["allowed"] == 100);
  CHECK(phase(bot, "bot")["denied"] == 50);
}

TEST_CASE("simulate bot --block: after a denial it stays blocked") {
  const Simulated bot = simulate({"bot", "--block", "10m"});
  CHECK(bot.exit == 0);
  CHECK(phase(bot, "bot")["allowed"] == 20);
  CHECK(phase(bot, "bot")["denied"] == 130);
}

TEST_CASE("simulate boundary: a fixed window admits twice the limit, and keeps its contract") {
  const Simulated fixed = simulate({"boundary", "--algo", "fixed"});
  CHECK(fixed.exit == 1);
  CHECK(fixed.json["verdict"] == "violated");
  CHECK(fixed.json["totals"]["peak"] == 200);
  CHECK(fixed.json["own_contract"]["verdict"] == "holds");
  CHECK(simulate({"boundary", "--algo", "fixed", "--expect", "violated"}).exit == 0);
  // What the limiter promises must hold all the same, unless that is asked too.
  const Arguments broken{"boundary", "--algo",  "fixed", "--contract", "limit/window first-hit",
                         "--expect", "violated"};
  const Simulated both = simulate(broken);
  CHECK(both.exit == 1);
  const std::string sentence = both.json["sentence"];
  CHECK(contains(sentence, "the limiter's own promise: expected holds, found violated: "));
  Arguments asked = broken;
  asked.insert(asked.end(), {"--expect-contract", "violated"});
  CHECK(simulate(asked).exit == 0);
  CHECK(simulate({"boundary", "--algo", "sliding-list", "--expect", "violated"}).exit == 1);
}

TEST_CASE("simulate double-click: a limit of one admits one of two") {
  const Simulated clicks = simulate({"double-click"});
  CHECK(clicks.exit == 0);
  CHECK(phase(clicks, "apart")["allowed"] == 1);
  CHECK(phase(clicks, "at-once")["allowed"] == 1);
}

TEST_CASE("simulate drain: clients that obey Retry-After finish in the ideal time, nothing lost") {
  const Simulated drain = simulate({"drain"});
  CHECK(drain.exit == 0);
  CHECK(phase(drain, "drain")["completed"] == 500);
  const std::int64_t took_us = phase(drain, "drain")["ended_us"];
  CHECK(took_us >= 240'000'000);
  CHECK(took_us < 241'000'000);
}

TEST_CASE("simulate --speed: a minute's edge takes a second of real time") {
  const Simulated edge =
      simulate({"boundary", "--algo", "fixed", "--speed", "60", "--anchor", "clock"});
  CHECK(edge.exit == 1);
  CHECK(edge.json["clock"] == "wall");
  CHECK(edge.json["totals"]["peak"] == 200);
}

TEST_CASE("simulate: the same seed gives the same decisions on the virtual clock") {
  const auto decisions = [](const std::string& seed) {
    Json phases = simulate({"mix", "--seed", seed}).json["phases"];
    return phases.dump();
  };
  CHECK(decisions("5") == decisions("5"));
  CHECK(decisions("5") != decisions("6"));
}

TEST_CASE("simulate: on the virtual clock, a block that ends with its key is refused") {
  const rlctl::test::Folder files;
  const std::string script =
      files.write("flag.lua", R"(-- rlctl: args = limit, window_ms, now_ms, uuid
-- rlctl: reply = allowed
-- rlctl: clock = argument
if redis.call('EXISTS', KEYS[1] .. ':blocked') == 1 then return 0 end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3] - ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1] .. ':blocked', 1, 'PX', ARGV[2])
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[4])
return 1
)");
  const Outcome refused = run_rlctl({"simulate", "bot", "--algo", script, "--clock", "virtual"});
  CHECK(refused.exit == 2);
  CHECK(contains(refused.err, "'flag' can't run on the virtual clock: what it decides depends on"));
  CHECK(contains(refused.err, "on the wall clock"));
  CHECK(refused.out.empty());
}

TEST_CASE("simulate: step by step and in lockstep, a race appears in every run") {
  for (int run = 0; run < 5; ++run) {
    const Simulated drain = simulate({"drain", "--algo", "check-then-add", "--lockstep",
                                      "--on-deny", "drop", "--clock", "wall", "--window", "10s"});
    CHECK(drain.exit == 1);
    CHECK(drain.json["violations"] == Json{"over_admission"});
    CHECK(phase(drain, "drain")["allowed"] == 112);
  }
}

TEST_CASE("simulate --redis: on the user's own Redis no key remains, and nothing else is touched") {
  TestRedis redis;
  redis.command({"SET", "mine", "1"});
  const Outcome outcome = redis.rlctl(
      {"simulate", "double-click", "--window", "1s", "--json", "--quiet", "--attempts", "100"});
  INFO(outcome.out);
  CHECK(outcome.exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 1);
  CHECK(redis.text({"GET", "mine"}) == "1");
}

TEST_CASE(
    "simulate --redis: keys that can't be removed are told, with the command that removes them") {
  TestRedis redis;
  redis.command({"ACL", "SETUSER", "default", "-unlink"});
  const Outcome outcome = redis.rlctl({"simulate", "double-click", "--window", "1s", "--quiet"});
  CHECK(redis.number({"DBSIZE"}) > 0);
  CHECK(contains(outcome.out, "note: keys *rlctl:"));
  const bool names_cause = contains(outcome.out, "can't run this command") ||
                           contains(outcome.out, "no permissions to run the 'unlink' command");
  CHECK(names_cause);  // in the words of Redis 7 or 8
  redis.command({"ACL", "SETUSER", "default", "+unlink"});
  const auto at = outcome.out.find("rlctl reset ");
  REQUIRE(at != std::string::npos);
  const std::string command = outcome.out.substr(at, outcome.out.find('\n', at) - at);
  CHECK(contains(command, "--redis " + redis.url()));
  const std::string pattern = command.substr(13, command.find('\'', 13) - 13);
  CHECK(redis.rlctl({"reset", pattern, "--yes"}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE(
    "simulate --redis: keys that may remain are told if Redis ends, and none remain on SIGHUP") {
  TestRedis redis;
  const rlctl::test::Folder folder;
  const std::string log = folder / "run.jsonl";
  const Arguments arguments{"simulate", "bot", "--clock", "wall",      "--rate", "50/1s",
                            "--limit",  "5",   "--redis", redis.url(), "--log",  log};
  const auto running = [&] { return redis.number({"DBSIZE"}) > 0; };
  const Outcome hung_up = run_rlctl_interrupted(arguments, running, SIGHUP);
  CHECK(hung_up.exit == 130);
  CHECK(redis.number({"DBSIZE"}) == 0);
  const Outcome judged = run_rlctl({"verify", log});
  CHECK(judged.exit == 4);
  CHECK(contains(judged.out, "the run did not reach its end: it was interrupted"));
  const Outcome ended = run_rlctl_interrupted(arguments, [&] {
    if (!running()) return false;
    redis.command({"SHUTDOWN", "NOSAVE"});
    return true;
  });
  CHECK(contains(ended.out + ended.err, "may remain"));
}

TEST_CASE("simulate --target: an unreachable target gives no verdict") {
  const Outcome outcome =
      run_rlctl({"simulate", "double-click", "--target", "http://127.0.0.1:1/", "--quiet"});
  CHECK(outcome.exit == 3);
  CHECK(contains(outcome.out, "2 failed"));
  CHECK(contains(outcome.err, "connection refused"));
}

TEST_CASE("simulate: under every pattern a sound limiter must act, whatever the policy is") {
  for (const char* pattern : {"bot", "boundary", "double-click", "drain", "ramp", "poisson", "mix"})
    for (const char* policy : {"20/10s", "3/1h"}) {
      CAPTURE(pattern);
      CAPTURE(policy);
      const Outcome outcome = run_rlctl({"simulate", pattern, "--policy", policy, "--quiet"});
      INFO(outcome.out << outcome.err);
      CHECK(outcome.exit == 0);
    }
}

TEST_CASE("simulate: Ctrl-C says what was found so far, and that it is no verdict") {
  TestRedis redis;
  const Outcome outcome = redis.rlctl_interrupted(
      {"simulate", "bot", "--clock", "wall", "--rate", "50/1s", "--limit", "5"},
      [&] { return redis.calls("evalsha") >= 10; });
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 130);
  CHECK(contains(outcome.err, "this takes about 1 m 15 s, in real time; --for sets another"));
  CHECK(contains(outcome.out, "the run was interrupted; until then, which is no verdict: "));
}

TEST_CASE("run: what was interrupted passes in no JUnit") {
  TestRedis redis;
  const rlctl::test::Folder folder;
  const std::string file = folder.write("slow.json", R"({
    "clock": "wall", "verdict": "holds",
    "policies": {"api": {"algo": "sliding-list", "limit": 5, "window": "10s", "key": "rl:<ip>"}},
    "identities": {"bot": {"ip": "203.0.113.7"}},
    "phases": [{"name": "bot", "policy": "api", "who": "bot", "rate": "20/1s", "for": "5m"}]})");
  const Outcome outcome = redis.rlctl_interrupted({"run", file, "--junit", folder / "out.xml"},
                                                  [&] { return redis.calls("evalsha") > 0; });
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 130);
  CHECK(contains(outcome.out, "the run was interrupted"));
  CHECK_FALSE(contains(outcome.out, "passed  "));
  CHECK(contains(folder.read("out.xml"), "errors=\"1\""));
  CHECK(contains(folder.read("out.xml"), "the run was interrupted"));
}

TEST_CASE("a run that can't start does not tell how long it takes") {
  for (const Arguments& wrong :
       {Arguments{"--redis", "nonsense"}, Arguments{"--target", "nonsense"},
        Arguments{"--target", "http://h:99999/"},
        Arguments{"--target", "http://127.0.0.1:1", "--proxy", "foo://x"}}) {
    Arguments arguments{"simulate", "bot", "--clock", "wall"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const Outcome outcome = run_rlctl(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 2);
    CHECK_FALSE(contains(outcome.err, "this takes about"));
  }
}

TEST_CASE("simulate: what is only for HTTP is refused for a limiter in Redis") {
  for (const Arguments& more : {Arguments{"--fresh"}, {"--held-at-least", "1s"}}) {
    Arguments arguments{"simulate", "bot"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_rlctl(arguments);
    CHECK(outcome.exit == 2);
    CHECK(contains(outcome.err, more.front() + " is only for an HTTP target; add --target URL"));
  }
}

TEST_CASE("simulate --cost: each request uses that much of the limit") {
  const Simulated simulated =
      simulate({"bot", "--algo", "sliding", "--limit", "20", "--cost", "5"});
  CHECK(simulated.exit == 0);
  CHECK(phase(simulated, "bot")["offered"] == 30);
  CHECK(phase(simulated, "bot")["allowed"] == 20);
  CHECK(simulated.json["totals"]["peak"] == 20);
  CHECK(contains(simulated.json["command"].get<std::string>(), " --cost 5"));
  const Outcome refused = run_rlctl({"simulate", "bot", "--target", "http://127.0.0.1:1/",
                                     "--limit", "20", "--window", "1s", "--cost", "5"});
  CHECK(refused.exit == 2);
  CHECK(contains(refused.err, "--cost is only for a limiter in Redis"));
}

TEST_CASE("simulate does not play for minutes against a Redis that refuses every write") {
  TestRedis redis;
  redis.command({"CONFIG", "SET", "min-replicas-to-write", "1"});
  const Outcome outcome =
      run_rlctl({"simulate", "poisson", "--rate", "10/1s", "--for", "5m", "--redis", redis.url(),
                 "--limit", "5", "--window", "1s", "--quiet"});
  CHECK(outcome.exit == 3);
  CHECK(contains(outcome.err, "the target made no decision: NOREPLICAS"));
  CHECK(contains(outcome.err, "too few replicas are connected (`min-replicas-to-write`)"));
}

namespace {

struct SoundLimiter {
  const char* algorithm;
  const char* policy;
};

// Of each kind of rule: one that holds little, and one that holds much more than comes back soon.
constexpr SoundLimiter kSound[] = {{"sliding-list", "20/1m"},
                                   {"sliding-list", "1/5s"},
                                   {"fixed", "20/1m fixed"},
                                   {"gcra", "bucket 20 + 10/1s"},
                                   {"gcra", "bucket 5 + 100/1s"},
                                   {"token-bucket", "bucket 200 + 10/1s"},
                                   {"leaky-bucket", "bucket 20 + 10/1s"},
                                   {"leaky-queue", "bucket 20 + 10/1s"},
                                   {"lease", "5 in flight, lease 3s"},
                                   {"lease", "30 in flight"}};

}  // namespace

TEST_CASE("simulate: every pattern tests every kind of rule, so that a sound limiter holds") {
  for (const auto& [algorithm, policy] : kSound)
    for (const char* pattern : {"bot", "boundary", "double-click", "drain", "ramp", "poisson",
                                "mix"}) {  // not flood: it measures time
      CAPTURE(pattern);
      CAPTURE(algorithm);
      CAPTURE(policy);
      const Simulated played = simulate({pattern, "--algo", algorithm, "--policy", policy});
      CAPTURE(played.json["reason"]);
      CHECK(played.json["verdict"] == "holds");
      CHECK(played.json["clock"] == "virtual");
      CHECK(played.exit == 0);
    }
}

TEST_CASE("simulate flood: also a bucket and a limit in flight are filled") {
  for (const auto& [algorithm, policy] : {SoundLimiter{"gcra", "bucket 20 + 10/1s"},
                                          SoundLimiter{"lease", "5 in flight, lease 3s"}}) {
    CAPTURE(algorithm);
    CHECK(simulate(
              {"flood", "--algo", algorithm, "--policy", policy, "--users", "300", "--for", "2s"})
              .json["totals"]["denied"] > 0);
  }
}

TEST_CASE("simulate mix: the bad client has a key of its own under every name") {
  const Outcome mix = run_rlctl(
      {"simulate", "mix", "--limit", "5", "--window", "1s", "--key", "rl:<user>", "--quiet"});
  CHECK(mix.exit == 0);
  CHECK(contains(mix.out, "; good: 0 of "));
}

TEST_CASE("simulate: where nothing was held, the remedy names what holds") {
  const Outcome outcome = run_rlctl({"simulate", "bot", "--algo", "lease", "--policy",
                                     "5 in flight, lease 3s", "--hold", "0s", "--quiet"});
  CHECK(outcome.exit == 4);
  CHECK(contains(outcome.out, "and hold them (--hold), so that some are denied"));
}

TEST_CASE("simulate refuses a cost above the limit, before anything is sent") {
  const auto refused = [](Arguments arguments, const std::string& why) {
    CAPTURE(arguments[1]);
    const Outcome outcome = run_rlctl(arguments);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    CHECK(contains(outcome.err, why));
  };
  const std::string why =
      "a request costs 101, but the limit is 100: a limiter that keeps the policy admits none; use "
      "--cost 100 or less, or a policy that admits more";
  refused({"simulate", "drain", "--cost", "101"}, why + "\n");
  refused({"simulate", "drain", "--cost", "101", "--expect", "violated"}, why + "\n");
  refused({"simulate", "boundary", "--cost", "101"},
          why + "; --expect violated tests if the limiter admits it\n");
  refused({"simulate", "boundary", "--algo", "textbook-fixed", "--cost", "101"},
          why + "; --expect violated --expect-contract violated tests if the limiter admits it\n");
  refused(
      {"simulate", "bot", "--algo", "token-bucket", "--policy", "bucket 5 + 20/1m", "--cost", "6"},
      "a request costs 6, but the capacity is 5: ");
}

TEST_CASE("who expects a violation sees whether the limiter admits a cost above the limit") {
  const auto exit_with = [](const char* algorithm) {
    return run_rlctl({"simulate", "boundary", "--algo", algorithm, "--cost", "101", "--expect",
                      "violated", "--expect-contract", "violated", "--quiet"})
        .exit;
  };
  CHECK(exit_with("textbook-fixed") == 0);  // it does not take a cost
  CHECK(exit_with("fixed") == 4);           // nothing was admitted
}

TEST_CASE("simulate refuses a rate that plans no request, and says what to do") {
  for (const Arguments& rate : {Arguments{"poisson", "--rate", "1/1h"},
                                {"mix", "--rate", "1/1h"},
                                {"poisson", "--rate", "1/10s", "--for", "1s"}}) {
    Arguments arguments{"simulate"};
    arguments.insert(arguments.end(), rate.begin(), rate.end());
    const Outcome refused = run_rlctl(arguments);
    CHECK(refused.exit == 2);
    CHECK(contains(refused.err, "this rate plans no request in "));
    CHECK(contains(refused.err, "; use a higher --rate, a longer --for or another --seed\n"));
  }
}

TEST_CASE("the picture of a run that is longer than a day tells the days") {
  const Outcome days = run_rlctl({"simulate", "bot", "--policy", "2/1d"});
  INFO(days.out);
  CHECK(days.exit == 0);
  CHECK(contains(days.out, "2026-01-02 00:00:00"));
  CHECK_FALSE(contains(run_rlctl({"simulate", "bot"}).out, "2026-01-0"));
}
