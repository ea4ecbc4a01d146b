// Block flags with any value: limiters ask only if the key exists.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/support/inspected.h"
#include "cli/support/test_redis.h"
#include "io/clock.h"

TEST_CASE("a library's flag blocks, whatever its value is") {
  TestRedis redis;
  for (const std::string& value : {std::string("\x04\bi\x06", 4), std::string("1"),
                                   std::string("{\"by\":\"admin\"}"), std::string(300, 'x')}) {
    redis.command({"SET", "rack::attack:fail2ban:ban:kim", value, "EX", "100"});
    CAPTURE(value.size());
    const Outcome shown = redis.rlctl({"inspect", "kim"});
    CHECK(shown.exit == 1);
    CHECK(contains(shown.out, "rack-attack-ban, client kim: blocked for "));
    CHECK(contains(redis.rlctl({"list", "--blocked"}).out, " blocked "));
    CHECK(contains(redis.rlctl({"watch", "--once"}).out, " blocked "));
    CHECK(redis.rlctl({"reset", "kim", "--yes"}).out == "rack::attack:fail2ban:ban:kim: removed\n");
  }
}

TEST_CASE("a string of any value that has the name of a flag may be one") {
  TestRedis redis;
  const Arguments document{"SET", "user:ida:blocked", "{\"by\":\"admin\"}"};
  Arguments expires = document;
  expires.insert(expires.end(), {"EX", "100"});
  for (const Arguments& set : {document, expires}) {
    redis.command(set);
    const Outcome shown = redis.rlctl({"inspect", "ida"});
    INFO(shown.out << shown.err);
    CHECK(shown.exit == 4);
    CHECK(contains(shown.out, "user:ida: perhaps blocked\n"));
    CHECK_FALSE(contains(shown.out, "admin"));
    CHECK(inspected(redis, {"ida"}, 4)[0]["state"] == "blocked?");
    for (const Arguments& verb : {Arguments{"list", "--blocked"}, {"watch", "--once"}})
      CHECK(contains(redis.rlctl(verb).out, "blocked?"));
    const Outcome reset = redis.rlctl({"reset", "ida", "--yes"});
    CHECK(reset.exit == 4);
    CHECK(contains(reset.err, "'user:ida:blocked' not removed: "));
  }
  redis.command({"SET", "user:ida", "5", "EX", "60"});  // a limiter is beside it
  CHECK(redis.rlctl({"inspect", "ida"}).exit == 1);
  CHECK(redis.rlctl({"reset", "ida", "--yes"}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("a flag that is a hash may block: inspect, list and reset say so alike") {
  TestRedis redis;
  const auto is_perhaps_blocked = [&](const char* client) {
    CHECK(inspected(redis, {client}, 4)[0]["state"] == "blocked?");
    for (const Arguments& verb : {Arguments{"list"}, {"list", "--blocked"}, {"watch", "--once"}})
      CHECK(contains(redis.rlctl(verb).out, "blocked?"));
  };
  redis.command({"HSET", "rl:ann:blocked", "by", "admin", "reason", "abuse"});
  is_perhaps_blocked("ann");
  is_perhaps_blocked("rl:ann:blocked");
  CHECK(contains(redis.rlctl({"inspect", "ann"}).out,
                 "hash of 2 fields, never expires: perhaps a block flag: limiters that ask only"));
  redis.command({"SET", "rl:ann", "5", "EX", "600"});
  is_perhaps_blocked("ann");
  is_perhaps_blocked("rl:ann");
  const Outcome reset = redis.rlctl({"reset", "ann", "--yes"});
  INFO(reset.out << reset.err);
  CHECK(reset.exit == 4);
  CHECK(redis.number({"EXISTS", "rl:ann:blocked"}) == 1);
  CHECK(redis.rlctl({"reset", "rl:ann:blocked", "--yes"}).exit != 0);
  CHECK(redis.number({"EXISTS", "rl:ann:blocked"}) == 1);
}

TEST_CASE("a hash that counts is a limiter, though its client is called blocked") {
  TestRedis redis;
  redis.command({"HSET", "rl:blocked", "count", "9", "limit", "10"});
  const Outcome shown = redis.rlctl({"inspect", "rl:blocked"});
  INFO(shown.out << shown.err);
  CHECK(shown.exit == 0);
  CHECK(contains(shown.out, "9 of 10 used"));
  CHECK_FALSE(contains(redis.rlctl({"list"}).out, "blocked?"));
}

TEST_CASE("a flag whose value says no is perhaps one, with or without an expiry or a limiter") {
  TestRedis redis;
  const std::int64_t past_s = rlctl::now_us() / 1'000'000 - 300;
  for (const std::string& value :
       {std::string("false"), std::string("0"), std::string("off"), std::string("no"),
        std::string("null"), std::string("None"), std::string("-1"), std::string(),
        std::string("2020-01-01T00:00:00Z"), std::to_string(past_s),
        std::to_string(past_s * 1'000)})
    for (const bool expires : {true, false}) {
      CAPTURE(value);
      CAPTURE(expires);
      redis.command({"SET", "user:ida:blocked", value});
      if (expires) redis.command({"EXPIRE", "user:ida:blocked", "600"});
      const Outcome shown = redis.rlctl({"inspect", "ida"});
      INFO(shown.out << shown.err);
      CHECK(shown.exit == 4);
      CHECK(contains(shown.out, "user:ida: perhaps blocked\n"));
      CHECK(contains(shown.out, "its value says no, but limiters that ask only if it exists deny"));
    }
  redis.command({"SET", "user:ida:blocked", "false", "EX", "600"});
  CHECK(contains(redis.rlctl({"list"}).out, "blocked?"));
  CHECK(contains(redis.rlctl({"watch", "--once"}).out, "blocked?"));
  CHECK(redis.rlctl({"reset", "ida", "--yes", "--dry-run"}).exit == 4);
  redis.command({"SET", "user:ida", "5", "EX", "600"});
  CHECK(redis.rlctl({"inspect", "ida"}).exit == 4);
  CHECK(contains(redis.rlctl({"unblock", "user:ida"}).out, "removed; it was perhaps blocked"));
}

TEST_CASE("a flag as rlctl sets it is a fact, also when its time is over") {
  TestRedis redis;
  redis.command({"SET", "rl:ann", "5", "EX", "600"});
  redis.command({"SET", "rl:ann:blocked", std::to_string(rlctl::now_us() - 1'000'000), "EX", "9"});
  CHECK(redis.rlctl({"inspect", "ann"}).exit == 0);
  redis.rlctl({"block", "rl:ann", "--for", "60s"});
  CHECK(redis.rlctl({"inspect", "ann"}).exit == 1);
  redis.command({"SET", "rack::attack:fail2ban:ban:kim", "0", "EX", "100"});
  CHECK(redis.rlctl({"inspect", "kim"}).exit == 1);
}
