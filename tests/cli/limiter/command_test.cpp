// Redis commands that limit: those of a module (tools/redis_commands.c), a function, and commands
// that every Redis has.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/support/serving.h"
#include "cli/support/test_redis.h"
#include "redis/private_redis.h"
#include "redis/test_cluster.h"
#include "tools/folder.h"

using nlohmann::json;
using rlctl::test::Folder;
using rlctl::test::TestCluster;

namespace {

constexpr auto kThrottle = "CL.THROTTLE <key> 19 20 1 <cost>";
constexpr auto kThrottleAllows = "reply[1] == 0, remaining = reply[3], retry_after_s = reply[4]";
constexpr auto kIncrex = "INCREX <key> BYINT <cost> UBOUND <limit> EX <window_s> ENX";
constexpr auto kIncrexAllows = "reply[2] > 0";

constexpr auto kFunction =
    "#!lua name=shop\n"
    "redis.register_function('shop_limit', function(keys, args)\n"
    "  if redis.call('INCR', keys[1]) == 1 then redis.call('PEXPIRE', keys[1], args[2]) end\n"
    "  return {{redis.call('GET', keys[1]) <= args[1]}, 'a text'}\n"
    "end)\n";

// A server program that has the module's commands.
class Program {
 public:
  Program()
      : path_(folder_.write("redis-server", "#!/bin/sh\nexec redis-server \"$@\" --loadmodule '" +
                                                std::string(REDIS_COMMANDS) + "'\n")) {
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  const std::string& path() const { return path_; }

 private:
  Folder folder_;
  std::string path_;
};

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Arguments decided_by(const std::string& command, const std::string& allowed) {
  return {"--command", command, "--allowed", allowed};
}

Outcome hit(const TestRedis& redis, const std::string& key, const std::string& command,
            const std::string& allowed, const Arguments& more = {}) {
  return redis.rlctl(
      with(with({"hit", key, "--policy", "2/1m"}, decided_by(command, allowed)), more));
}

// Played again if the machine was too busy to send in time: such a run shows nothing of the
// limiter.
json boundary(const Program& program, const Arguments& more) {
  for (int left = 4;; --left) {
    const Outcome outcome = run_rlctl(with(
        {"simulate", "boundary", "--redis-server", program.path(), "--json", "--quiet"}, more));
    INFO(outcome.err);
    if (left > 0 && contains(outcome.out, "ms late: the budget is ")) continue;
    CHECK(outcome.exit < 2);
    return json::parse(outcome.out);
  }
}

std::string told(const Outcome& outcome, int exit) {
  CHECK(outcome.exit == exit);
  CHECK(outcome.out == "");
  CHECK(std::ranges::count(outcome.err, '\n') == 1 + contains(outcome.err, "note: "));
  return outcome.err;
}

}  // namespace

TEST_CASE("CL.THROTTLE holds its bucket, and not the window that the bucket's owner may mean") {
  const Program program;
  const Arguments throttle = decided_by(kThrottle, kThrottleAllows);
  const json bucket = boundary(program, with(throttle, {"--policy", "bucket 20 + 20/1s"}));
  CHECK(bucket["verdict"] == "holds");
  CHECK(bucket["algorithm"] == "CL.THROTTLE");
  CHECK(bucket["totals"]["denied"] > 0);
  const json window =
      boundary(program, with(throttle, {"--policy", "20/1s", "--contract", "bucket 20 + 20/1s"}));
  CHECK(window["verdict"] == "violated");
  CHECK(window["own_contract"]["verdict"] == "holds");
}

TEST_CASE("INCREX keeps each window from a first hit, and admits two limits around its end") {
  const Program program;
  const json played =
      boundary(program, with(decided_by(kIncrex, kIncrexAllows),
                             {"--policy", "20/1s", "--contract", "20/1s first-hit"}));
  CHECK(played["verdict"] == "violated");
  CHECK(played["totals"]["max_certain"] > 30);
  CHECK(played["own_contract"]["verdict"] == "holds");
}

TEST_CASE("bench measures commands beside scripts, and hit gives a command its cost") {
  const Program program;
  const Outcome bench =
      run_rlctl(with({"bench", "--redis-server", program.path(), "--algo", "fixed-anchored",
                      "--only", "accuracy", "--json", "--quiet"},
                     decided_by(kIncrex, kIncrexAllows)));
  INFO(bench.err);
  REQUIRE(bench.exit < 2);
  const json algorithms = json::parse(bench.out)["algorithms"];
  REQUIRE(algorithms.size() == 2);
  CHECK(algorithms[1]["name"] == "INCREX");
  const TestRedis redis(program.path());
  const Outcome costs = hit(redis, "k", kIncrex, kIncrexAllows, {"--cost", "2", "--requests", "2"});
  CHECK(costs.out == "allowed\ndenied\n");
  CHECK(contains(costs.err, "note: the first reply of INCREX was [2, 2]"));
  CHECK(hit(redis, "t", kThrottle, kThrottleAllows).out == "allowed, 19 of 2 left\n");
}

TEST_CASE("every kind of reply is read: numbers, texts, statuses, nil, lists, lists in lists") {
  TestRedis redis;
  redis.command({"FUNCTION", "LOAD", kFunction});
  const auto twice = [&](const std::string& key, const std::string& command,
                         const std::string& allowed) {
    return hit(redis, key, command, allowed, {"--requests", "3"}).out;
  };
  const std::string two = "allowed\nallowed\ndenied\n";
  CHECK(twice("n", "INCR <key>", "reply <= limit") == two);
  CHECK(twice("n2", "incr <key>:'a b'", "reply <= limit, remaining = limit - reply") ==
        "allowed, 1 of 2 left\nallowed, 0 of 2 left\ndenied\n");
  CHECK(redis.text({"GET", "n2:a b"}) == "3");
  CHECK(twice("s", "SET <key> 1 NX PX <window_ms>", "reply == 'OK'") ==
        "allowed\ndenied\ndenied\n");
  redis.command({"RPUSH", "l", "a", "b"});
  CHECK(twice("l", "LPOP <key>", "reply ~= false") == two);
  redis.command({"RPUSH", "m", "a", "b"});
  CHECK(twice("m", "LMPOP 1 <key> LEFT", "reply and reply[2][1] ~= ''") == two);
  CHECK(twice("f", "FCALL shop_limit 1 <key> <limit> <window_ms>", "reply[1][1] == 1") == two);
}

TEST_CASE("what a command or its expression can't be is told in one line") {
  TestRedis redis;
  redis.command({"FUNCTION", "LOAD", kFunction});
  const auto refused = [&](const std::string& command, const std::string& allowed, int exit,
                           const Arguments& more = {}) {
    return told(hit(redis, "k", command, allowed, more), exit);
  };
  CHECK(contains(refused("PING", "reply", 2), "no word after its name has <key>"));
  CHECK(contains(refused("<key> 3", "reply", 2), "no word after its name has <key>"));
  CHECK(contains(refused("INCR '<key>", "reply", 2), "a quote is not closed"));
  CHECK(contains(refused(" ", "reply", 2), "--command is empty"));
  CHECK(contains(refused("INCR <kay>", "reply", 2), "'<kay>' is not known; write <key>"));
  CHECK(contains(refused("INCR <key>:<foo>", "reply", 2), "<foo> is not known here"));
  CHECK(contains(refused("INCR <key>", "reply[1", 2), "'reply[1' is not a Lua expression"));
  CHECK(contains(refused("INCR <key>", "reply", 2, {"--algo", "fixed"}), "one limiter decides"));
  CHECK(contains(refused("INCR <key>", "reply", 2, {"--manifest", "keys = k"}),
                 "a command has no keys"));
  CHECK(contains(refused("INCR <key>", "reply", 2, {"--manifest", "reply = allowed"}),
                 "given twice; give it once"));
  CHECK(contains(refused("INCR <key>", "reply", 2, {"--block", "9s"}), "can't add a block"));
  CHECK(contains(refused("INCR <key>", "reply", 2, {"--run", "client"}), "one step in Redis"));
  CHECK(contains(refused("INCREXX <key>", "reply", 3), "this Redis has no command 'INCREXX'"));
  CHECK(contains(refused("FCALL shop 1 <key>", "reply", 3), "has no function 'shop'"));
  CHECK(redis.number({"DBSIZE"}) == 0);
  CHECK(contains(refused("HINCRBY <key>", "reply", 3), "wrong number of arguments"));
  CHECK(contains(refused("INCR <key>", "reply[1] == 1", 3),
                 "the reply 1 has no value for `allowed` (attempt to index local 'reply'"));
  CHECK(
      contains(refused("MGET <key> x", "reply[9] == 1", 3),
               "['1', nil] has no value for `allowed` (element 9 is asked for, and there are 2)"));
  CHECK(contains(refused("GETRANGE <key> 0 -1", "reply == 2", 3),
                 "the reply '1' has no value for `allowed` (reply == 2 compares a text with a "
                 "number, and to Lua they always differ)"));
  CHECK(contains(refused("MGET <key>", "reply[1] ~= limit", 3), "reply[1] ~= limit compares"));
  CHECK(contains(refused("INCR <key>", "'3' == reply", 3), "'3' == reply compares"));
  CHECK(contains(redis.rlctl({"hit", "k", "--policy", "2/1m", "--command", "INCR <key>"}).err,
                 "nothing says when its reply means allowed"));
  CHECK(contains(redis.rlctl({"hit", "k", "--policy", "2/1m", "--allowed", "reply"}).err,
                 "add --target URL, or --command"));
}

TEST_CASE("a command that the server lacks ends a run before anything is sent") {
  TestRedis redis;
  for (const Arguments& verb : {Arguments{"simulate", "boundary", "--policy", "9/1s"},
                                Arguments{"bench", "--policy", "9/1s", "--only", "accuracy"}}) {
    const std::string message =
        told(redis.rlctl(with(verb, decided_by("INCREX <key>", "reply[2] == 1"))), 3);
    CHECK(contains(message, "this Redis has no command 'INCREX'; name a server that has it"));
  }
  CHECK(redis.calls("increx") == 0);
}

TEST_CASE("a run shows the first reply, for a mistake in its expression looks like a flaw") {
  TestRedis redis;
  const Outcome outcome =
      redis.rlctl(with({"simulate", "double-click", "--policy", "1/1s", "--quiet"},
                       decided_by("MGET <key> <key>", "reply == 1")));
  CHECK(contains(outcome.out, "note: the first reply of MGET was [nil, nil]\n"));
}

TEST_CASE("keys with a text before the run's name are removed with the run") {
  TestRedis redis;
  const Arguments pair =
      decided_by("MSETNX limiter.{<key>}.tokens 1 limiter.{<key>}.time 2", "reply == 1");
  const Outcome outcome = redis.rlctl(with(
      {"simulate", "double-click", "--policy", "1/1s", "--contract", "none", "--quiet", "--json"},
      pair));
  INFO(outcome.err);
  CHECK(json::parse(outcome.out)["totals"]["allowed"] > 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
  redis.rlctl(with({"bench", "--policy", "9/1s", "--only", "accuracy", "--json", "--quiet"}, pair));
  CHECK(redis.calls("msetnx") > 10);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("in a cluster a command goes where its <key> lives, also if other words come first") {
  TestCluster servers({3, 0});
  for (std::size_t node = 0; node < 3; ++node)
    servers.command(node, {"FUNCTION", "LOAD", kFunction});
  const auto hit_at = [&](std::size_t node, const std::string& key, const std::string& command,
                          const std::string& allowed) {
    return run_rlctl(with({"hit", key, "--policy", "2/1m", "--redis", servers.url(node)},
                          decided_by(command, allowed)));
  };
  for (const std::string key : {"a", "b", "c", "d"}) {
    const std::size_t home = servers.node_of(key);  // which leaves a text there
    servers.command(home, {"DEL", key});
    servers.command(home, {"RPUSH", key, "x"});
    CHECK(hit_at(0, key, "LMPOP 1 <key> LEFT", "reply ~= false").out == "allowed\n");
    CHECK(hit_at(1, key, "FCALL shop_limit 1 <key> <limit> <window_ms>", "reply[1][1] == 1").out ==
          "allowed\n");
    CHECK(servers.command(home, {"GET", key}).text == "1");
  }
  const Outcome apart = hit_at(0, "k", "MSETNX <key>:a 1 <key>:b 2", "reply == 1");
  CHECK(apart.exit == 2);
  CHECK(contains(apart.err, "write the key as '{k}'"));
}

TEST_CASE("scenarios and routes name a command") {
  TestRedis redis;
  const Folder folder;
  const std::string policy = R"("command": "SET <key> 1 NX PX <window_ms>",
    "allowed": "reply == 'OK'", "rules": "1/1s first-hit", "key": "k:<ip>")";
  const std::string file = folder.write(
      "once.json",
      R"({"name": "once", "clock": "wall", "verdict": "holds", "target": {"kind": "redis", "url": ")" +
          redis.url() + R"("}, "policies": {"p": {)" + policy + R"(}},
    "identities": {"u": {"ip": "203.0.113.7"}},
    "phases": [{"name": "flood", "policy": "p", "who": "u", "rate": "20/1s", "for": "1500ms"}],
    "expect": ["over_admitted == 0"]})");
  const Outcome run = run_rlctl({"run", file});
  INFO(run.out << run.err);
  CHECK(run.exit == 0);
  const std::string routes =
      folder.write("routes.json", R"({"routes": [{"path": "/x", )" + policy + "}]}");
  Serving serve({"--routes", routes, "--redis", redis.url()});
  Client client(serve.port());
  CHECK(client.get("/x").status == 200);
  CHECK(client.get("/x").status == 429);
  Serving one({"--policy", "1/1m", "--command", "SET <key> 1 NX", "--allowed", "reply == 'OK'",
               "--redis", redis.url()});
  CHECK(get(one.port(), "/").status == 200);
  CHECK(get(one.port(), "/").status == 429);
}
