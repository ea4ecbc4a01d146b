// The verbs on a replica: what they read may be older, and while it is not in step it is partial.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/test_redis.h"
#include "io/clock.h"
#include "tools/free_port.h"

using nlohmann::json;

TEST_CASE("a replica that is not in step with its master is partial, also if it shows nothing") {
  TestRedis replica;
  replica.command({"REPLICAOF", "127.0.0.1", "1"});
  for (const Arguments& verb :
       {Arguments{"list"}, Arguments{"inspect", "10.0.0.1"}, Arguments{"watch", "--once"},
        Arguments{"doctor", "--fail-on", "critical"}}) {
    const Outcome partial = replica.rlctl(verb);
    INFO(verb.front() << ": " << partial.out << partial.err);
    CHECK(partial.exit == 4);
    CHECK(contains(partial.err, "partial: not "));
    CHECK(contains(partial.err,
                   "what the master 127.0.0.1:1 has: this is its replica, and is not "
                   "in step with it ("));
  }
  const std::string twice = replica.rlctl({"inspect", "2001:DB8:0::1", "a\\x0ab"}).err;
  CHECK(twice.find("partial: not ") == twice.rfind("partial: not "));
  CHECK(json::parse(replica.rlctl({"list", "--json"}).out)["complete"] == false);
}

TEST_CASE(
    "a replica in step is read and named, and what writes is refused without the name of a "
    "script") {
  TestRedis master, replica;
  const std::string port = std::to_string(rlctl::test::free_port());
  master.command({"CONFIG", "SET", "port", port});
  master.command({"CONFIG", "SET", "repl-diskless-sync-delay", "0"});
  master.command({"SET", "rl:u1", "3", "PX", "600000"});
  replica.command({"REPLICAOF", "127.0.0.1", port});
  const std::int64_t deadline_us = rlctl::now_us() + 60'000'000;
  while (replica.command({"ROLE"}).elements.at(3).text != "connected" &&
         rlctl::now_us() < deadline_us)
    continue;
  for (const Arguments& verb : {Arguments{"list"}, {"inspect", "rl:u1"}, {"watch", "--once"}}) {
    const Outcome told = replica.rlctl(verb);
    INFO(verb.front() << ": " << told.out << told.err);
    CHECK(told.exit == 0);
    CHECK(contains(told.out, "rl:u1"));
    CHECK(contains(told.err, "this is a replica of 127.0.0.1:" + port +
                                 ": what it has may be older, so uses and blocks may differ from "
                                 "those of its master"));
  }
  // Also if it takes writes, which its master will not have.
  replica.command({"CONFIG", "SET", "replica-read-only", "no"});
  for (const Arguments& verb : {Arguments{"unblock", "rl:u1"},
                                {"block", "rl:u1", "--for", "1m"},
                                {"reset", "rl:u1"},
                                {"serve", "--limit", "9", "--window", "1m"},
                                {"hit", "rl:u1", "--limit", "9", "--window", "1m"}}) {
    const Outcome refused = replica.rlctl(verb);
    INFO(verb.front() << ": " << refused.out << refused.err);
    CHECK(refused.exit == 3);
    CHECK(contains(refused.err, "this is a replica of 127.0.0.1:" + port +
                                    ": what is written here does not reach its master; connect to "
                                    "the master"));
    if (verb.front() != "reset") CHECK_FALSE(contains(refused.err, "uses and blocks may differ"));
  }
  CHECK(replica.rlctl({"reset", "rl:u1", "--dry-run"}).exit == 0);
  // Each server has a script cache of its own, for which it does not matter what keys it has.
  const Outcome loaded = replica.rlctl({"load", "fixed"});
  CHECK(loaded.exit == 0);
  CHECK(contains(loaded.out, "new"));
  CHECK(loaded.err == "");
  CHECK(replica.number({"EXISTS", "rl:u1"}) == 1);
  replica.command({"CONFIG", "SET", "replica-read-only", "yes"});
  const Outcome bench = replica.rlctl(
      {"bench", "--algo", "fixed", "--only", "speed", "--rounds", "1", "--requests", "200"});
  CHECK(bench.exit == 3);
  CHECK(contains(bench.err, "READONLY"));
  CHECK(contains(bench.err, "connect to its master"));
  CHECK_FALSE(contains(bench.err, "check the script"));
  // Who may not send ROLE, or not even INFO, is told as well.
  replica.command({"ACL", "SETUSER", "few", "on", ">pw", "~*", "+@all", "-role"});
  const Arguments list{"list", "--user", "few", "-a", "pw"};
  CHECK(contains(replica.rlctl(list).err, "this is a replica of 127.0.0.1:" + port));
  CHECK(replica.rlctl(list).exit == 0);
  replica.command({"ACL", "SETUSER", "few", "-info"});
  CHECK(contains(replica.rlctl(list).err, "this is a replica: what it has may be older"));
  CHECK(replica.rlctl(list).exit == 4);
  const Outcome simulate = replica.rlctl({"simulate", "double-click", "--window", "1s"});
  INFO(simulate.out << simulate.err);
  CHECK(simulate.exit == 3);
  CHECK(contains(simulate.out, "to get a verdict: this is a replica, and limiters write: connect"));
  CHECK(contains(simulate.out, "note: no request was decided\n"));
  CHECK_FALSE(contains(simulate.out, "budget"));
}
