#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/support/test_redis.h"
#include "redis/private_redis.h"
#include "tools/free_port.h"

using nlohmann::json;

namespace {

json listed(const TestRedis& redis, Arguments arguments = {}) {
  arguments.insert(arguments.begin(), "list");
  arguments.push_back("--json");
  const Outcome outcome = redis.rlctl(arguments);
  CHECK(outcome.exit == 0);
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("list shows limiters most used first, and their flags in the same row") {
  TestRedis redis;
  redis.command({"SET", "api:low", "3", "PX", "60000"});
  redis.command({"SET", "api:high:minute", "30", "PX", "60000"});
  redis.command({"SET", "api:high:blocked", "1", "PX", "60000"});
  redis.command({"SET", "page", "<html>"});
  redis.command({"XADD", "events", "*", "a", "1"});
  const json all = listed(redis);
  REQUIRE(all["limiters"].size() == 2);
  CHECK(all["limiters"][0]["limiter"] == "api:high:minute");
  CHECK(all["limiters"][0]["blocked"] == true);
  CHECK(all["limiters"][1]["used"] == nullptr);  // a number that may be anything
  CHECK(all["limiters"][1]["used_if_it_counts"] == 3);
  CHECK(all["other_keys"] == 2);
  CHECK(all["complete"] == true);
  CHECK(redis.calls("keys") == 0);
}

TEST_CASE("list --limit shows how much of it is used, and which limiters are full") {
  TestRedis redis;
  redis.command({"SET", "rl:a", "3", "PX", "60000"});
  redis.command({"SET", "rl:b", "1", "PX", "60000"});
  const Arguments limit{"--limit", "3", "--window", "60s"};
  const json all = listed(redis, limit);
  REQUIRE(all["limiters"].size() == 2);
  CHECK(all["limiters"][0]["used"] == nullptr);  // the limit makes it no less a guess
  CHECK(all["limiters"][0]["used_if_it_counts"] == 3);
  CHECK(all["limiters"][0]["limit"] == 3);
  const Outcome text = redis.rlctl({"list", "--limit", "3", "--window", "60s"});
  CHECK(contains(text.out, "3?/3"));
  CHECK(contains(text.out, "full?"));
  CHECK(contains(text.out, "1?/3"));
  CHECK(all["limiters"][0]["state"] == "full?");
}

TEST_CASE("list and watch show a number that nobody explains as it is") {
  TestRedis redis;
  redis.command({"SET", "plain:u1", "37"});
  redis.command({"SET", "myapp:gcra:u1", "59658171.5", "EX", "60"});
  redis.command({"SET", "balance:u1", "-3", "EX", "60"});
  for (const Arguments& verb : {Arguments{"list"}, {"watch", "--once"}}) {
    CAPTURE(verb.front());
    const Outcome alone = redis.rlctl(verb);
    INFO(alone.out);
    for (const char* shown : {"= 37", "= 59658171.5", "= -3", "no expiry"})
      CHECK(contains(alone.out, shown));
    CHECK_FALSE(contains(alone.out, "STUCK"));
    CHECK_FALSE(contains(alone.out, "37?"));
    Arguments limited = verb;
    limited.insert(limited.end(), {"--limit", "3", "--window", "60s"});
    const Outcome under_limit = redis.rlctl(limited);
    CHECK(contains(under_limit.out, "37?/3"));
    CHECK(contains(under_limit.out, "= 59658171.5"));
  }
  const json rows = listed(redis)["limiters"];
  for (const json& row : rows) {
    CAPTURE(row.dump());
    CHECK(row["used"] == nullptr);
    CHECK(row["stuck"] == false);
  }
}

TEST_CASE("list --stuck and --blocked show only those") {
  TestRedis redis;
  redis.command({"SET", "a", "1", "PX", "60000"});
  redis.command({"SET", "b", "1"});
  redis.command({"SET", "c:blocked", "1", "PX", "60000"});
  const Outcome monitored = redis.rlctl({"list", "*", "--stuck", "--json"});
  CHECK(monitored.exit == 1);
  const json stuck = json::parse(monitored.out);
  REQUIRE(stuck["limiters"].size() == 1);
  CHECK(stuck["limiters"][0]["limiter"] == "b");
  const json blocked = listed(redis, {"--blocked"});
  REQUIRE(blocked["limiters"].size() == 1);
  CHECK(blocked["limiters"][0]["limiter"] == "c");
}

TEST_CASE("list --stuck exits with 0 if nothing is stuck, and buckets and logs never are") {
  TestRedis redis;
  redis.command({"SET", "counter", "1", "PX", "60000"});
  redis.command({"HSET", "bucket", "tokens", "0", "last_refill", "1795214760"});
  redis.command({"ZADD", "log", "1795214760000", "a"});
  redis.command({"SET", "request_rate_limiter.{u1}.tokens", "40"});
  CHECK(redis.rlctl({"list", "--stuck"}).exit == 0);
  redis.command({"PERSIST", "counter"});
  const Outcome outcome = redis.rlctl({"list", "c*", "--stuck"});
  CHECK(outcome.exit == 1);
  CHECK(contains(outcome.out, "no expiry"));
  CHECK(contains(outcome.err, "= is a number that may be anything"));
}

TEST_CASE("list --stuck shows what may be stuck, and fails only for what is") {
  TestRedis redis;
  redis.command({"SET", "bob:blocked", "maybe"});
  const Outcome flag = redis.rlctl({"list", "--stuck"});
  CHECK(flag.exit == 0);
  CHECK(contains(flag.out, "blocked?"));
  CHECK(contains(flag.err, "none of these is stuck for certain"));
  CHECK_FALSE(contains(flag.err, "if they count requests"));
  redis.command({"SET", "views:1", "7"});
  const Outcome number = redis.rlctl({"list", "--stuck"});
  CHECK(number.exit == 0);
  CHECK(contains(number.out, "views:1"));
  CHECK(contains(number.err,
                 "if they count requests, name their keys: rlctl list PATTERN --stuck "
                 "--redis " +
                     redis.url()));
  CHECK(redis.rlctl({"list", "views:*", "--stuck"}).exit == 1);
  CHECK(redis.rlctl({"list", "--stuck", "--limit", "9", "--window", "1m"}).exit == 1);
  CHECK(redis.rlctl({"list", "bob:*", "--stuck"}).exit == 0);
  redis.command({"DEL", "views:1"});
  redis.command({"SET", "eve:blocked", "1"});
  CHECK(redis.rlctl({"list", "--stuck"}).exit == 1);
}

TEST_CASE("what list, inspect, block, load and reset propose leads to the same Redis") {
  TestRedis redis;
  const std::string port = std::to_string(rlctl::test::free_port());
  redis.command({"CONFIG", "SET", "port", port});
  redis.command({"CONFIG", "SET", "requirepass", "canary"});
  redis.command({"SELECT", "3"});
  redis.command({"SET", "session:zoey", "5", "PX", "600000"});
  redis.command({"SET", "views:bob", "5"});
  redis.command({"SET", "bob", "5"});
  const std::string there = " --redis redis://127.0.0.1:" + port + "/3";
  const auto said = [&](Arguments arguments) {
    for (const std::string& word : {std::string("-p"), port, std::string("-n"), std::string("3"),
                                    std::string("--pass"), std::string("canary")})
      arguments.push_back(word);
    const Outcome outcome = run_rlctl(arguments);
    CHECK_FALSE(contains(outcome.out + outcome.err, "canary"));
    return outcome.err;
  };
  CHECK(contains(said({"list", "none:*"}), "rlctl inspect CLIENT" + there));
  CHECK(contains(said({"list", "--stuck"}), "rlctl list PATTERN --stuck" + there));
  CHECK(contains(said({"inspect", "zoe"}), "rlctl inspect '*zoe*'" + there));
  CHECK(contains(said({"block", "ann", "--for", "9s"}), "rlctl inspect ann" + there));
  CHECK(contains(said({"load", "--dry-run"}), "to load them: rlctl load" + there));
  const std::string reset = said({"reset", "bob", "--yes"});
  CHECK_MESSAGE(contains(reset, "if it limits the client: rlctl reset"), reset);
  CHECK_MESSAGE(contains(reset, there), reset);
}

TEST_CASE("list and watch print the same object for a limiter") {
  TestRedis redis;
  redis.command({"HSET", "bucket", "tokens", "0", "last_refill", "1795214760"});
  redis.command({"SET", "api:u1:blocked", "1"});
  const json from_list = listed(redis)["limiters"];
  json from_watch = json::parse(redis.rlctl({"watch", "--once", "--json"}).out)["limiters"];
  for (json& row : from_watch) row["allowed_per_second"] = row["denied_per_second"] = nullptr;
  const auto named = [](const json& rows, const std::string& name) {
    for (const json& row : rows)
      if (row["limiter"] == name) return row;
    return json();
  };
  for (const char* name : {"bucket", "api:u1"}) {
    CAPTURE(name);
    CHECK(named(from_list, name).is_object());
    CHECK(named(from_list, name) == named(from_watch, name));
  }
}

TEST_CASE("list finds every key of a large keyspace once, and says where it cuts") {
  TestRedis redis;
  for (int i = 0; i < 1200; ++i)
    redis.command({"SET", "rl:" + std::to_string(i), std::to_string(i), "PX", "600000"});
  const json all = listed(redis, {"rl:", "--most", "5"});
  CHECK(all["total"] == 1200);
  REQUIRE(all["limiters"].size() == 5);
  CHECK(all["limiters"][0]["used_if_it_counts"] == 1199);
  CHECK(contains(redis.rlctl({"list", "--most", "5"}).err,
                 "5 of 1,200 limiters shown, blocked and most used first; --most 1200 shows more"));
}

TEST_CASE("a blocked client is listed first, however many limiters are used more") {
  TestRedis redis;
  redis.command({"EVAL", "for i = 1, 60 do redis.call('SET', 'c:' .. i, i, 'EX', 600) end", "0"});
  redis.command({"SET", "rl:user:dave:blocked", "1", "EX", "600"});
  for (const Arguments& verb :
       {Arguments{"list"}, {"watch", "--once", "--interval", "100ms", "--most", "50"}}) {
    CAPTURE(verb.front());
    const Outcome text = redis.rlctl(verb);
    INFO(text.out << text.err);
    CHECK(contains(text.out, "-----\nrl:user:dave "));
    CHECK(contains(text.err, "50 of 61 limiters shown, blocked and most used first"));
    Arguments as_json = verb;
    as_json.emplace_back("--json");
    const json first = json::parse(redis.rlctl(as_json).out)["limiters"][0];
    CHECK(first["limiter"] == "rl:user:dave");
    CHECK(first["state"] == "blocked");
  }
}

TEST_CASE("key names can't control the terminal") {
  TestRedis redis;
  redis.command({"SET", "evil\x1b]0;title\x07\xc2\x9b", "1", "PX", "60000"});
  const Outcome outcome = redis.rlctl_on_terminal({"list"});
  CHECK(contains(outcome.out, "evil\\x1b]0;title\\x07\\xc2\\x9b"));
  CHECK_FALSE(contains(outcome.out, "\x1b]0"));
}

TEST_CASE("the server is named as redis-cli names it: -h, -p, -s, -u, -n, --user, -a, --pass") {
  TestRedis redis;
  const std::string port = std::to_string(rlctl::test::free_port());
  redis.command({"CONFIG", "SET", "port", port});
  redis.command({"ACL", "SETUSER", "u", "on", ">canary", "~*", "+@all"});
  redis.command({"SELECT", "3"});
  redis.command({"SET", "rl:1", "1", "PX", "600000"});
  const Outcome listed =
      run_rlctl({"list", "-h", "127.0.0.1", "-p", port, "-n", "3", "--user", "u", "-a", "canary"});
  CHECK(listed.exit == 0);
  CHECK(contains(listed.out, "rl:1"));
  CHECK(contains(listed.err, "--pass: a password on the command line stays"));
  CHECK_FALSE(contains(listed.out + listed.err, "canary"));
  CHECK(contains(run_rlctl({"list", "-p", port, "-n3"}).out, "rl:1"));
  const std::string socket = redis.url().substr(std::string("unix://").size());
  for (const std::string& path : {socket, std::filesystem::relative(socket).string()})
    CHECK(contains(run_rlctl({"list", "-s", path, "-n", "3"}).out, "rl:1"));
  CHECK(contains(run_rlctl({"list", "-u", "redis://127.0.0.1:" + port + "/3"}).out, "rl:1"));
  const Outcome long_form =
      run_rlctl({"list", "-p", port, "-n", "3", "--user", "u", "--pass", "canary"});
  CHECK(contains(long_form.out, "rl:1"));
  CHECK(run_rlctl({"list", "-p", port, "--user", "u", "-a", "wrong"}).exit == 3);
}

TEST_CASE("a password of --redis or -a is not in the list of processes, and its place is advised") {
  TestRedis redis;
  const std::string port = std::to_string(rlctl::test::free_port());
  redis.command({"CONFIG", "SET", "port", port});
  redis.command({"CONFIG", "SET", "requirepass", "canary"});
  for (const Arguments& server :
       {Arguments{"--redis", "redis://:canary@127.0.0.1:" + port},
        Arguments{"--redis=redis://:canary@127.0.0.1:" + port},
        Arguments{"-u", "redis://:canary@127.0.0.1:" + port},
        Arguments{"-uredis://:canary@127.0.0.1:" + port}, Arguments{"-p", port, "-a", "canary"},
        Arguments{"-p", port, "-acanary"}, Arguments{"-p", port, "--pass", "canary"},
        Arguments{"-p", port, "--pass=canary"}}) {
    CAPTURE(server.back());
    Arguments watch{"watch", "--json"};
    watch.insert(watch.end(), server.begin(), server.end());
    std::string processes;
    const std::int64_t before = redis.calls("scan");
    const Outcome outcome = run_rlctl_interrupted(watch, [&] {
      if (redis.calls("scan") == before) return false;
      processes = command_lines_with(port);
      return true;
    });
    CHECK(contains(processes, "watch"));
    CHECK_FALSE(contains(processes + outcome.out + outcome.err, "canary"));
    CHECK(contains(outcome.err, "stays in the shell's history; safer: REDISCLI_AUTH"));
  }
}

TEST_CASE("a host before the verb is refused as any option there, and -h without one is help") {
  for (const Arguments& arguments :
       {Arguments{"-h", "127.0.0.1", "list", "x"}, {"-p", "1", "-h", "127.0.0.1", "list", "x"}}) {
    const Outcome outcome = run_rlctl(arguments);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    CHECK_MESSAGE(contains(outcome.err, "rlctl: options come after the verb: rlctl list -"),
                  outcome.err);
    CHECK(contains(outcome.err, "-h 127.0.0.1 x"));
  }
  for (const Arguments& arguments : {Arguments{"--help"}, {"-h", "list"}, {"-h", "verify", "x"}})
    CHECK(run_rlctl(arguments).exit == 0);
}

TEST_CASE("-h alone is help, for every verb, and also beside others where there is no host") {
  for (const Arguments& arguments :
       {Arguments{"-h"}, {"list", "-h"}, {"verify", "-h"}, {"verify", "-h", "x.log"}}) {
    const Outcome outcome = run_rlctl(arguments);
    CHECK(outcome.exit == 0);
    CHECK(contains(outcome.out, "--help"));
  }
}

TEST_CASE("a server is named once, and the private server takes no login") {
  const Outcome twice = run_rlctl({"list", "--redis", "redis://127.0.0.1:1", "-p", "1"});
  CHECK(twice.exit == 2);
  CHECK(contains(twice.err, "both name a server"));
  CHECK(run_rlctl({"list", "-p", "70000"}).exit == 2);
  const Outcome own = run_rlctl({"simulate", "double-click", "-n", "3"});
  CHECK(own.exit == 2);
  CHECK(contains(own.err, "-n is not for the private server; add --redis URL or -h HOST"));
}

TEST_CASE("a Redis that still reads its data from disk is waited for, then named") {
  rlctl::test::PrivateRedis master, replica;
  master.command({"SET", "rl:10.0.0.1", "3", "EX", "600"});
  replica.load_slowly_from(master);
  const std::string url = "unix://" + replica.unix_endpoint().unix_path;
  for (const Arguments& verb :
       {Arguments{"list"}, Arguments{"load", "fixed"}, Arguments{"hit", "k", "--policy", "5/1m"}}) {
    Arguments arguments = verb;
    arguments.insert(arguments.end(), {"--redis", url});
    const Outcome outcome = run_rlctl(arguments);
    INFO(verb.front() << ": " << outcome.out << outcome.err);
    CHECK(outcome.exit == 3);
    CHECK(contains(outcome.err, "still reading its data from disk"));
  }
  replica.command({"CONFIG", "RESETSTAT"});
  const auto is_asked = [&] {
    return contains(replica.command({"INFO", "commandstats"}).text, "cmdstat_ping");
  };
  const Outcome waited =
      run_rlctl_fed({"list", "--redis", url, "--timeout", "1m"}, [&](const Send&) {
        for (int i = 0; i < 2'000 && !is_asked(); ++i)
          replica.loop().run(rlctl::test::pause(replica.loop(), 10'000));
        replica.load_at_once();
      });
  INFO(waited.out << waited.err);
  CHECK(waited.exit == 0);
  CHECK(contains(waited.out, "rl:10.0.0.1 "));
}

TEST_CASE("a library that is only a guess has a question mark, and notes say what the signs mean") {
  TestRedis redis;
  redis.command({"SET", "rl:u1", "7", "EX", "60"});
  const Outcome outcome = redis.rlctl({"list"});
  INFO(outcome.out << outcome.err);
  CHECK(listed(redis)["limiters"][0]["guess"] == true);
  CHECK(contains(outcome.out, "rate-limit-redis"));
  CHECK(contains(outcome.out, "?  "));
  CHECK(contains(outcome.err, "a kind with ? is a guess"));
  const std::string advice = "--limit 20 --window 60s";
  CHECK(contains(outcome.err, advice));
  const Outcome limited = redis.rlctl({"list", "--limit", "20", "--window", "60s"});
  CHECK(limited.exit == 0);
  CHECK(contains(limited.out, "7?/20"));
  CHECK(contains(limited.err, "? is a guess"));
}

TEST_CASE("on a terminal a long name is cut in its middle, and the other columns stay") {
  TestRedis redis;
  redis.command({"SET", "api:" + std::string(300, 'x') + ":u1", "7"});
  for (const Arguments& verb : {Arguments{"list"}, {"watch", "--once"}}) {
    const Outcome outcome = redis.rlctl_on_terminal(verb);
    INFO(outcome.out);
    CHECK(contains(outcome.out, "api:xxx"));
    CHECK(contains(outcome.out, "…"));
    CHECK(contains(outcome.out, "xxx:u1 "));
    CHECK(contains(outcome.out, "no expiry\r\n"));
  }
}

TEST_CASE("a long name widens no table that is piped, and JSON has all of it") {
  TestRedis redis;
  const std::string name = "api:" + std::string(5'000, 'x') + ":u1";
  redis.command({"SET", name, "7"});
  redis.command({"SET", "rl:u2", "7"});
  for (const Arguments& verb : {Arguments{"list"}, {"watch", "--once", "--interval", "100ms"}}) {
    const Outcome outcome = redis.rlctl(verb);
    INFO(outcome.out);
    CHECK(contains(outcome.out, "api:xxx"));
    CHECK(contains(outcome.out, "xxx:u1  "));
    CHECK(contains(outcome.out, "\nrl:u2 "));
    CHECK_FALSE(contains(outcome.out, std::string(80, 'x')));
    CHECK_FALSE(contains(outcome.out, std::string(80, ' ')));
  }
  CHECK(contains(redis.rlctl({"list", "--json"}).out, name));
}

TEST_CASE("the empty name of a key is shown") {
  TestRedis redis;
  redis.command({"SET", "", "7"});
  for (const Arguments& verb : {Arguments{"list"}, {"watch", "--once", "--interval", "100ms"}})
    CHECK(contains(redis.rlctl(verb).out, "\n''  "));
}

TEST_CASE("list shows what it has read before the server went away") {
  for (const Arguments& more : {Arguments{}, {"--json"}, {"--stuck"}}) {
    rlctl::test::PrivateRedis redis;
    redis.command({"EVAL", "for i = 1, 50000 do redis.call('SET', 'rl:' .. i, i) end", "0"});
    Arguments arguments{"list", "--most", "5", "--redis",
                        "unix://" + redis.unix_endpoint().unix_path};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto end = [&] {
      const std::string info = redis.command({"INFO", "commandstats"}).text;
      const std::string scans = "cmdstat_scan:calls=";
      const auto at = info.find(scans);
      if (at == info.npos || std::stoi(info.substr(at + scans.size())) < 20) return false;
      redis.kill();
      return true;
    };
    constexpr int kNoSignal = 0;
    const Outcome outcome = run_rlctl_interrupted(arguments, end, kNoSignal);
    INFO(outcome.out << outcome.err);
    CHECK(outcome.exit == 3);
    CHECK(contains(outcome.out, "rl:"));
    CHECK(contains(outcome.err, "partial: not all keys were read: "));
    if (more == Arguments{"--json"}) {
      const json result = json::parse(outcome.out);
      CHECK(result["limiters"].size() == 5);
      CHECK(result["complete"] == false);
    }
  }
}

TEST_CASE("words after -- are never options") {
  TestRedis redis;
  redis.command({"SET", "rl:--help", "1", "EX", "60"});
  redis.command({"SET", "--help", "1", "EX", "60"});
  redis.command({"SET", "-x", "1", "EX", "60"});
  for (const std::string name : {"rl:--help", "--help", "-x"}) {
    CAPTURE(name);
    const Outcome list = redis.rlctl({"list", "--", name});
    CHECK(list.exit == 0);
    CHECK(contains(list.out, "\n" + name + " "));
    CHECK_FALSE(contains(list.out, "rlctl list"));
    const Outcome inspect = redis.rlctl({"inspect", "a", "--", name});
    CHECK(contains(inspect.out, name));
    CHECK_FALSE(contains(inspect.out, "rlctl inspect"));
  }
  const Outcome many = redis.rlctl({"list", "rl", "--", "-x"});
  CHECK(many.exit == 2);
  CHECK(contains(many.err, "pattern is given more than once"));
}
