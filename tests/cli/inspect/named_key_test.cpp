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

TEST_CASE("a key that is surely a limiter's is inspected without a search") {
  TestRedis redis;
  redis.command({"SET", "rlflx:alice", "9", "EX", "60"});
  redis.command({"SET", "api:alice", "3", "EX", "60"});
  redis.command({"SET", "alice", "hello"});
  for (const Arguments& named :
       {Arguments{"rlflx:alice"}, {"api:alice"}, {"alice", "--algo", "gcra"}}) {
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
  CHECK(outcome.exit == 0);
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
