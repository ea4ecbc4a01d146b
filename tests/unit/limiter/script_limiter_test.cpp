// A script that Redis runs: what becomes of every kind of reply. The same against a real Redis:
// tests/redis/script_limiter_test.cpp.
#include "limiter/script_limiter.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "limiter/script_store.h"
#include "unit/io/written_redis.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

Script named(const std::string& name, const std::string& body = "return 1") {
  Script script = make_script("mine.lua", "-- Mine.\n-- rlctl: name = " + name +
                                              "\n-- rlctl: args = limit, now_us\n"
                                              "-- rlctl: reply = allowed, remaining\n" +
                                              body);
  return script;
}

Policy five_a_minute() { return policy_of({Rule{.limit = 5, .window_us = 60'000'000}}); }

struct Asked {
  Decision decision;
  std::vector<std::string> commands;  // their first words
};

Asked asked(std::deque<Reply> replies, const std::string& body = "return 1") {
  Loop loop;
  WrittenRedis redis(loop, std::move(replies));
  ScriptCall call(named("mine", body), five_a_minute());
  ScriptLimiter limiter(redis, call);
  Asked result{loop.run(limiter.decide({"k"})), {}};
  for (const std::string& command : redis.asked)
    result.commands.push_back(command.substr(0, command.find(' ', command.find(' ') + 1)));
  return result;
}

Task<> decide_into(Decision& decision, Limiter& limiter, std::string key) {
  const Attempt attempt{key};
  decision = co_await limiter.decide(attempt);
}

Reply yes() { return array({integer(1), integer(4)}); }
Reply no() { return array({integer(0), integer(0)}); }

const std::string kSha1 = named("mine").sha1;

}  // namespace

TEST_CASE("an answer is a decision, with what the script reports") {
  const Asked allowed = asked({yes()});
  CHECK(allowed.decision.outcome == Outcome::allowed);
  CHECK(allowed.decision.remaining == 4);
  CHECK(allowed.decision.sent_us == 1);
  CHECK(allowed.decision.received_us == 2);
  CHECK(allowed.commands == std::vector<std::string>{"EVALSHA " + kSha1});
  CHECK(asked({no()}).decision.outcome == Outcome::denied);
}

TEST_CASE("a script that Redis does not have is loaded, and the command repeated once") {
  const Asked loaded = asked({refusal("NOSCRIPT No matching script"), text(kSha1), yes()});
  CHECK(loaded.decision.outcome == Outcome::allowed);
  CHECK(loaded.commands ==
        std::vector<std::string>{"EVALSHA " + kSha1, "SCRIPT LOAD", "EVALSHA " + kSha1});
  const Asked again = asked({refusal("NOSCRIPT x"), text(kSha1), refusal("NOSCRIPT x"), yes()});
  CHECK(again.decision.outcome != Outcome::allowed);
  CHECK(again.commands.size() == 3);
}

TEST_CASE("a script that can't be loaded certainly did not run") {
  const Asked refused = asked({refusal("NOSCRIPT x"), refusal("ERR Error compiling script")});
  CHECK(refused.decision.outcome == Outcome::failed);
  CHECK(refused.decision.problem == "ERR Error compiling script");
  CHECK(asked({refusal("NOSCRIPT x")}).decision.outcome == Outcome::failed);
}

TEST_CASE("a connection that ends after the command leaves the outcome unknown") {
  const Asked lost = asked({});
  CHECK(lost.decision.outcome == Outcome::unknown);
  CHECK(lost.decision.received_us == kNoTime);
  CHECK(lost.decision.problem == "connection reset");
  CHECK(asked({refusal("NOSCRIPT x"), text(kSha1)}).decision.outcome == Outcome::unknown);
}

TEST_CASE("a refusal before the script ran is a failure, an error from inside it is not known") {
  CHECK(asked({refusal("NOPERM no permissions")}).decision.outcome == Outcome::failed);
  CHECK(asked({refusal("LOADING Redis is loading")}).decision.outcome == Outcome::failed);
  const Asked raised = asked({refusal("ERR user_script:3: attempt to index \x1b[2J")});
  CHECK(raised.decision.outcome == Outcome::unknown);
  CHECK(raised.decision.problem.find('\x1b') == std::string::npos);
  CHECK(raised.commands.size() == 1);  // nothing is repeated
}

TEST_CASE("an error that may be the script's own may follow a write, and nothing is repeated") {
  for (const char* body :
       {"return redis.error_reply('BUSY now')", "return redis.error_reply( \"-BUSY now\")",
        "return redis.error_reply('BU' .. ARGV[1])", "return redis.error_reply(ARGV[1])",
        "return {err = 'BUSY now'}", "return {['err'] = ARGV[1]}", "return redis.pcall('GET', 'k')",
        "return cjson.decode(ARGV[1])", "-- it's 'quoted'\nreturn {err = 'x'}",
        "local s = [[it's]] return {err = s}", "--[[ a\n]] return {err = 'x'}"}) {
    CAPTURE(body);
    const Asked busy = asked({text(kSha1), refusal("BUSY now"), refusal("BUSY now")}, body);
    CHECK(busy.decision.outcome == Outcome::unknown);
  }
  const Asked missing =
      asked({refusal("NOSCRIPT x"), text(kSha1), yes()}, "return redis.error_reply('NOSCRIPT x')");
  CHECK(missing.decision.outcome == Outcome::unknown);
  CHECK(missing.commands.size() == 1);
}

TEST_CASE("an error that the script can't make is Redis's own") {
  for (const char* body : {"return redis.error_reply('ERR mine: BUSY')", "return 'err BUSY'",
                           "-- err, pcall\nreturn 1", "--[[ err ]] return 1", "error('BUSY')",
                           "local errors = 'it\\'s' return errors"}) {
    CAPTURE(body);
    CHECK(asked({refusal("BUSY Redis is busy")}, body).decision.outcome == Outcome::failed);
  }
}

TEST_CASE("a script whose error could be NOSCRIPT is loaded before it runs") {
  const std::string body = "return redis.pcall('GET', 'k')";
  const std::string sha1 = named("mine", body).sha1;
  const Asked loaded = asked({text(sha1), yes()}, body);
  CHECK(loaded.decision.outcome == Outcome::allowed);
  CHECK(loaded.commands == std::vector<std::string>{"SCRIPT LOAD", "EVALSHA " + sha1});
  CHECK(asked({refusal("NOPERM x")}, body).decision.outcome == Outcome::failed);
}

TEST_CASE("loading checks that Redis has the same script") {
  Loop loop;
  const std::vector<Script> scripts{named("one"), named("two")};
  WrittenRedis redis(loop, {text(scripts[0].sha1), text(scripts[1].sha1)});
  loop.run(load_into_cache(redis, scripts));
  CHECK(redis.asked.size() == 2);
  WrittenRedis changed(loop, {text(std::string(40, '0'))});
  CHECK_THROWS_AS(loop.run(load_into_cache(changed, scripts)), Error);
  CHECK(changed.asked.size() == 1);
}

TEST_CASE("the cache is asked for all scripts at once, and a short answer means missing") {
  Loop loop;
  WrittenRedis redis(loop, {array({integer(1), integer(0), integer(1)}), array({integer(1)})});
  CHECK(loop.run(find_cached(redis, {"a", "b", "c"})) == std::vector<bool>{true, false, true});
  CHECK(redis.asked == std::vector<std::string>{"SCRIPT EXISTS a b c"});
  CHECK(loop.run(find_cached(redis, {"a", "b"})) == std::vector<bool>{true, false});
}

TEST_CASE("the library has one function per script, and no two of one name") {
  const std::vector<Script> scripts{named("sliding-list", "return 7 -- the end")};
  CHECK(function_name(scripts[0]) == "rlctl_sliding_list");
  const std::string library = library_text(scripts);
  CHECK(
      library.starts_with("#!lua name=rlctl\nredis.register_function('rlctl_sliding_list', "
                          "function(KEYS, ARGV)\n"));
  CHECK(library.ends_with("return 7 -- the end\nend)\n"));
  const std::vector<Script> twins{named("a-b"), named("a_b")};
  CHECK_THROWS_WITH_AS(library_text(twins), "two scripts would get the function name rlctl_a_b",
                       Error);
}

TEST_CASE("a library is missing, the same, or another") {
  const auto state = [](Reply reply) {
    Loop loop;
    WrittenRedis redis(loop, {std::move(reply)});
    return loop.run(find_library(redis, "our text")).state;
  };
  CHECK(state(array({})) == LibraryState::missing);
  CHECK(state(array({array({text("library_code"), text("our text")})})) == LibraryState::same);
  CHECK(state(array({array({text("library_code"), text("other")})})) == LibraryState::differs);
  CHECK_THROWS_WITH_AS(state(refusal("ERR unknown command 'FUNCTION'")),
                       "this Redis has no functions: they came with Redis 7", Error);
}

TEST_CASE("users share a limiter: each has its own command and its own answer") {
  Loop loop;
  const Reply missing = refusal("NOSCRIPT No matching script. Please use EVAL.");
  WrittenRedis redis(loop, {missing, missing, text(kSha1), text(kSha1), yes(), no()});
  ScriptCall call(named("mine"), five_a_minute());
  ScriptLimiter limiter(redis, call);
  Decision first;
  Decision second;
  loop.spawn(decide_into(first, limiter, "a"));
  loop.spawn(decide_into(second, limiter, "bb"));
  loop.run(loop.join());
  CHECK(first.outcome == Outcome::allowed);
  CHECK(second.outcome == Outcome::denied);
  REQUIRE(redis.asked.size() == 6);
  CHECK(redis.asked[0] == redis.asked[4]);
  CHECK(redis.asked[1] == redis.asked[5]);
  CHECK(redis.asked[4].find(" a ") != std::string::npos);
  CHECK(redis.asked[5].find(" bb ") != std::string::npos);
}
