// Block flags with any value: limiters ask only if the key exists.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/inspected.h"
#include "cli/support/test_redis.h"

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
