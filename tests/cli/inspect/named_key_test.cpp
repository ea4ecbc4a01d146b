#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/inspected.h"
#include "cli/support/test_redis.h"

using nlohmann::json;

namespace {

// Names that need an option, and which.
constexpr struct {
  const char* text;
  const char* option;
} kOtherNames[] = {{"rl:/api/[id]/*", "--literal"}, {"rl:new\\x0aline", "--escaped"}};

}  // namespace

TEST_CASE("a key that has a client's name hides no limiter of that client") {
  TestRedis redis;
  redis.command({"SET", "rlflx:alice", "9", "EX", "60"});
  const Arguments inspect{"inspect", "alice", "--limit", "5", "--window", "1m"};
  const std::vector<std::vector<std::string>> others = {
      {"SET", "alice", "hello"}, {"SET", "alice", "2", "EX", "300"}, {"SET", "alice:blocked", "1"}};
  for (const auto& other : others) {
    redis.command(other);
    const Outcome outcome = redis.rlctl(inspect);
    INFO(other[1] << ' ' << other[2] << ": " << outcome.out << outcome.err);
    CHECK(outcome.exit == 1);
    CHECK(contains(outcome.out, "9/5"));
    CHECK(contains(outcome.out, "alice"));
    redis.command({"DEL", other[1]});
  }
  redis.command({"SET", "alice", "2", "EX", "300"});
  const json all = inspected(redis, {"alice"});
  REQUIRE(all.size() == 2);
  CHECK(all[0]["name"] == "alice");
  CHECK(all[1]["name"] == "rlflx:alice");
}

TEST_CASE("a key of the client's name and a period hides no other limiter of that client") {
  TestRedis redis;
  redis.command({"SET", "alice:minute", "5", "EX", "60"});
  redis.command({"SET", "rl:alice", "5", "EX", "100"});
  redis.command({"SET", "rl:alice:blocked", "1", "EX", "100"});
  const Outcome outcome = redis.rlctl({"inspect", "alice"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 1);
  CHECK(contains(outcome.out, "rl:alice"));
  CHECK(redis.rlctl({"reset", "alice"}).exit == 2);  // it has found more than was named
  const Outcome reset = redis.rlctl({"reset", "alice", "--yes"});
  CHECK(contains(reset.out, "rl:alice:blocked: removed\n"));
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("a key of just a client's name that has separators hides no limiter of that client") {
  TestRedis redis;
  for (const std::string client : {"user:42", "auth0|77", "acme/bob", "aa:bb:cc:dd:ee:ff"}) {
    const std::vector<std::vector<std::string>> others = {{"HSET", client, "requests", "5"},
                                                          {"SET", client, "hello"},
                                                          {"SET", client, "2", "EX", "300"},
                                                          {"SET", client + ":minute", "2"}};
    for (const auto& other : others) {
      redis.command({"SET", "rl:" + client, "9", "EX", "60"});
      redis.command({"SET", "rl:" + client + ":blocked", "1", "EX", "60"});
      redis.command(other);
      const Outcome shown = redis.rlctl({"inspect", client});
      INFO(other[0] << ' ' << other[1] << ' ' << other[2] << ": " << shown.out << shown.err);
      CHECK(shown.exit == 1);
      CHECK(contains(shown.out, "rl:" + client));
      const Outcome reset = redis.rlctl({"reset", client, "--yes"});
      INFO(reset.out << reset.err);
      CHECK(contains(reset.out, "rl:" + client + ":blocked: removed\n"));
      CHECK(contains(reset.out, "rl:" + client + ": removed\n"));
      redis.command({"FLUSHALL"});
    }
  }
}

TEST_CASE("a key that is surely a limiter's is inspected without a search") {
  TestRedis redis;
  redis.command({"SET", "rlflx:alice", "9", "EX", "60"});
  redis.command({"SET", "ratelimit:ip:203.0.113.7:minute", "3", "EX", "60"});
  redis.command({"SET", "hits:alice", "3", "EX", "60"});
  redis.command({"SET", "alice", "hello"});
  redis.command({"SET", "app:bob:blocked", "1", "EX", "60"});
  REQUIRE(redis.rlctl({"hit", "u:7", "--algo", "sliding", "--policy", "5/1m"}).exit == 0);
  for (const Arguments& named : {Arguments{"rlflx:alice"},
                                 {"ratelimit:ip:203.0.113.7"},
                                 {"hits:alice"},
                                 {"u:7"},
                                 {"app:bob"},
                                 {"alice", "--algo", "gcra"}}) {
    CAPTURE(named[0]);
    Arguments arguments = named;
    arguments.insert(arguments.begin(), "inspect");
    CHECK(redis.rlctl(arguments).out != "");
    CHECK(redis.calls("scan") == 0);
  }
}

TEST_CASE("the flag that the user names stays with the key of the client's name") {
  TestRedis redis;
  redis.command({"SET", "alice", "2", "EX", "300"});
  redis.command({"SET", "alice:minute", "3", "EX", "300"});
  redis.command({"SET", "ban-of-alice", "1", "EX", "300"});
  const json all = inspected(redis, {"alice", "--block-key", "ban-of-alice"}, 1);
  REQUIRE(all.size() == 1);
  CHECK(all[0]["keys"].size() == 2);
  CHECK(all[0]["state"] == "blocked");
}

TEST_CASE("a name with brackets and a star, or as rlctl prints it, is found, and the option told") {
  TestRedis redis;
  redis.command({"SET", "rl:/api/[id]/*", "5", "EX", "60"});
  redis.command({"SET", "rl:new\nline", "5", "EX", "60"});
  for (const auto& [text, option] : kOtherNames) {
    const Outcome outcome = redis.rlctl({"inspect", text, "--limit", "5", "--window", "1m"});
    INFO(outcome.out << outcome.err);
    CHECK(outcome.exit == 1);
    CHECK(contains(outcome.out, text));
    CHECK(contains(outcome.err, std::string("names a key with ") + option));
  }
  CHECK(redis.rlctl({"inspect", "rl:*"}).err.find("names a key") == std::string::npos);
  CHECK(
      contains(redis.rlctl({"inspect", "rl:[xy]*"}).err, "no key matches the pattern 'rl:[xy]*'"));
}

TEST_CASE("a client's name as rlctl prints it, or with wildcards, hides no block of that client") {
  TestRedis redis;
  redis.command({"SET", "rl:\x1b[31mred:blocked", "1", "EX", "60"});
  redis.command({"SET", "rl:q*d:blocked", "1", "EX", "60"});
  const Outcome limiter = redis.rlctl({"inspect", "rl:\\x1b[31mred"});
  CHECK(contains(limiter.err, "' names a limiter with --escaped: that one is shown"));
  for (const auto& [text, option] :
       {std::pair{"\\x1b[31mred", "--escaped"}, {"q*d", "--literal"}}) {
    const Outcome shown = redis.rlctl({"inspect", text});
    INFO(shown.out << shown.err);
    CHECK(shown.exit == 1);
    CHECK(contains(shown.err, std::string("' names a client with ") + option + ": that one is"));
    CHECK_FALSE(contains(shown.err, "x5c"));
    CHECK_FALSE(contains(shown.err, "no key"));
    const Outcome reset = redis.rlctl({"reset", text, "--yes"});
    CHECK(reset.exit == 2);
    CHECK(contains(reset.err, std::string("names a client only with ") + option));
    CHECK(redis.rlctl({"reset", text, option, "--yes"}).exit == 0);
  }
  CHECK(redis.number({"DBSIZE"}) == 0);
  redis.command({"SET", "\x1b[31mred", "hello"});  // a key of the client's name hides none, either
  redis.command({"SET", "rl:\x1b[31mred:blocked", "1", "EX", "60"});
  CHECK(redis.rlctl({"inspect", "\\x1b[31mred"}).exit == 1);
}

TEST_CASE("what is told to remove a key names just this key, whatever is in its name") {
  TestRedis redis;
  const std::pair<const char*, const char*> names[] = {{"st*r:ned", "--literal 'st*r:ned'"},
                                                       {"-x:ned", "--escaped '\\x2dx:ned'"},
                                                       {"a\nb:ned", "--escaped 'a\\x0ab:ned'"},
                                                       {"views:ned", "views:ned"}};
  for (const auto& [name, words] : names) {
    redis.command({"SET", name, "1"});
    const Outcome outcome = redis.rlctl({"reset", "ned", "--yes"});
    INFO(outcome.err);
    CHECK(contains(outcome.err, std::string("rlctl reset ") + words + " --redis "));
    redis.command({"DEL", name});
  }
  redis.command({"SET", "-x:ned", "1"});
  CHECK(redis.rlctl({"reset", "--escaped", "\\x2dx:ned"}).out == "-x:ned: removed\n");
}

TEST_CASE("a client whose name is written in two ways is found by one pass") {
  TestRedis redis;
  CHECK(redis.rlctl({"inspect", "ratelimit:nobody"}).exit == 0);
  CHECK(redis.calls("scan") == 1);
  redis.command({"SET", "rl:2001:db8::1", "1", "EX", "60"});
  redis.command({"SET", "rl:2001:DB8:0::1", "1", "EX", "60"});
  CHECK(inspected(redis, {"2001:DB8:0::1"}).size() == 2);
  CHECK(redis.calls("scan") == 2);
}

TEST_CASE("reset of a client keeps a number that has the client's name, and says so") {
  TestRedis redis;
  redis.command({"SET", "rlflx:alice", "9", "EX", "60"});
  redis.command({"SET", "alice", "123", "EX", "300"});
  CHECK(redis.rlctl({"reset", "alice"}).exit == 2);  // it has found more than was named
  const Outcome outcome = redis.rlctl({"reset", "alice", "--yes"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 4);
  CHECK(outcome.out == "rlflx:alice: removed\n");
  CHECK(contains(outcome.err, "'alice' not removed: "));
  CHECK(contains(outcome.err, "if it limits the client: rlctl reset alice"));
  CHECK(redis.rlctl({"reset", "alice"}).out == "alice: removed\n");
}

TEST_CASE("reset of a client removes its limiters beside a text or a flag of the client's name") {
  TestRedis redis;
  redis.command({"SET", "alice", "hello"});
  redis.command({"SET", "alice:blocked", "1", "EX", "60"});
  redis.command({"SET", "rlflx:alice", "9", "EX", "60"});
  const Outcome outcome = redis.rlctl({"reset", "alice", "--yes"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 4);  // what has the name is left
  CHECK(contains(outcome.out, "alice:blocked: removed\n"));
  CHECK(contains(outcome.out, "rlflx:alice: removed\n"));
  CHECK(redis.text({"GET", "alice"}) == "hello");
}

TEST_CASE("reset of a full key goes at once, and is searched for only if in doubt") {
  TestRedis redis;
  redis.command({"SET", "rlflx:alice", "9", "EX", "60"});
  CHECK(redis.rlctl({"reset", "rlflx:alice"}).out == "rlflx:alice: removed\n");
  redis.command({"SET", "hits:alice", "9", "EX", "60"});
  CHECK(redis.rlctl({"reset", "hits:alice"}).out == "hits:alice: removed\n");
  CHECK(redis.calls("scan") == 0);
  redis.command({"HSET", "user:42", "name", "bob"});
  redis.command({"SET", "rl:user:42", "9", "EX", "60"});
  CHECK(redis.rlctl({"reset", "user:42", "--yes"}).out == "rl:user:42: removed\n");
}

TEST_CASE("reset of a full key that holds only a flag, or with --any-data, searches nothing") {
  TestRedis redis;
  redis.command({"SET", "app:bob:blocked", "1", "EX", "60"});
  redis.command({"SET", "session:7", "{}"});
  const Outcome flag = redis.rlctl({"reset", "app:bob"});
  CHECK(flag.exit == 0);
  CHECK(flag.out == "app:bob:blocked: removed\n");
  CHECK(contains(flag.err, "'app:bob' is taken for a key; to see other keys of a client"));
  CHECK(redis.rlctl({"reset", "session:7", "--any-data"}).out == "session:7: removed\n");
  redis.command({"SET", "ratelimit:config", "{}"});
  CHECK(redis.rlctl({"reset", "ratelimit:config"}).exit == 4);
  CHECK(redis.calls("scan") == 0);
}

TEST_CASE(
    "reset of a key that is perhaps a client's name tells what else is perhaps the client's") {
  TestRedis redis;
  redis.command({"SET", "gina", "5", "EX", "300"});
  redis.command({"SET", "rl:gina", "7"});
  CHECK(redis.rlctl({"reset", "gina"}).exit == 2);
  const Outcome outcome = redis.rlctl({"reset", "gina", "--yes"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 4);
  CHECK(outcome.out == "gina: removed\n");
  CHECK(contains(outcome.err, "'rl:gina' not removed: number 7, never expires"));
  CHECK(redis.rlctl({"reset", "rl:gina"}).exit == 0);
}

TEST_CASE("reset of a client's name keeps what has only the name of its flag, and says so") {
  TestRedis redis;
  redis.command({"SET", "carol:blocked", "hello"});
  for (const Arguments& arguments : {Arguments{"reset", "carol"}, {"reset", "carol", "--yes"}}) {
    const Outcome outcome = redis.rlctl(arguments);
    INFO(outcome.out << outcome.err);
    CHECK(outcome.exit == 4);
    CHECK(outcome.out.empty());
    CHECK(contains(outcome.err, "'carol:blocked' not removed: string of 5 bytes, never expires"));
  }
  CHECK(contains(redis.rlctl_on_terminal({"reset", "carol"}, "n\n").out, "remove 1 key? [y/N]"));
  redis.command({"SET", "carol", "not a limiter"});
  CHECK(redis.rlctl({"reset", "carol", "--yes"}).exit == 4);
  CHECK(redis.number({"DBSIZE"}) == 2);
  CHECK(redis.rlctl({"reset", "carol:blocked"}).out == "carol:blocked: removed\n");
}

TEST_CASE("reset exits with 4 for a named key that it leaves, whatever else it was given") {
  TestRedis redis;
  redis.command({"SET", "session:7", "{}"});
  redis.command({"SET", "rl:1", "5", "EX", "60"});
  CHECK(redis.rlctl({"reset", "session:7"}).exit == 4);
  const Outcome outcome = redis.rlctl({"reset", "session:7", "rl:*", "--yes"});
  CHECK(outcome.exit == 4);
  CHECK(outcome.out == "rl:1: removed\n");
  CHECK(redis.rlctl({"reset", "session:*", "--yes"}).exit == 4);
  redis.command({"SET", "rl:session:7", "5", "EX", "60"});
  const Outcome beside = redis.rlctl({"reset", "session:7", "--yes"});
  CHECK(beside.exit == 4);
  CHECK(beside.out == "rl:session:7: removed\n");
  redis.command({"SET", "rl:session:7", "5", "EX", "60"});
  CHECK(redis.rlctl({"reset", "7", "--yes"}).exit == 0);
}

TEST_CASE("reset of a full key that a longer name contains removes both, and asks first") {
  TestRedis redis;
  redis.command({"SET", "api:alice", "5", "EX", "60"});
  redis.command({"SET", "api:alice:login", "5", "EX", "60"});
  const Outcome asked = redis.rlctl({"reset", "api:alice"});
  CHECK(asked.exit == 2);
  CHECK(contains(asked.err, "2 keys match; nothing was removed"));
  const Outcome outcome = redis.rlctl({"reset", "api:alice", "--yes"});
  CHECK(outcome.exit == 0);
  CHECK(outcome.out == "api:alice: removed\napi:alice:login: removed\n");
}

TEST_CASE("reset names the option that its text lacks, and removes nothing") {
  TestRedis redis;
  redis.command({"SET", "rl:/api/[id]/*", "5", "EX", "60"});
  redis.command({"SET", "rl:new\nline", "5", "EX", "60"});
  for (const auto& [text, option] : kOtherNames) {
    const Outcome outcome = redis.rlctl({"reset", text, "--yes"});
    INFO(outcome.out << outcome.err);
    CHECK(outcome.exit == 2);
    CHECK(contains(outcome.err, std::string("add ") + option));
    CHECK(redis.rlctl({"reset", text, option}).out == std::string(text) + ": removed\n");
  }
  CHECK(contains(redis.rlctl({"reset", "rl:[xy]*"}).err,
                 "no key matches the pattern 'rl:[xy]*': nothing to reset"));
}

TEST_CASE("a limiter that two arguments name is shown once") {
  TestRedis redis;
  redis.command({"SET", "rl:ann", "5", "EX", "60"});
  redis.command({"SET", "rl:ida:blocked", "1", "EX", "60"});
  for (const Arguments& two : {Arguments{"ann", "rl:ann"}, {"rl:ann", "ann"}, {"ann", "ann"}})
    CHECK(inspected(redis, two).size() == 1);
  CHECK(inspected(redis, {"ida", "ida"}, 1).size() == 1);
  CHECK(inspected(redis, {"ann", "ida"}, 1).size() == 2);
}
