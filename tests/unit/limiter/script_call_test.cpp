#include "limiter/script_call.h"

#include <doctest/doctest.h>

#include <set>

#include "base/error.h"
#include "io/clock.h"
#include "io/redis/command.h"
#include "io/redis/reply_reader.h"

using namespace rlctl;

namespace {

constexpr std::int64_t kNow = 1'795'214'760'123'456;

Policy policy() {
  Policy policy;
  policy = policy_of({Rule{.limit = 100, .window_us = 60'000'000}});
  policy.block_us = 1'500'500;
  return policy;
}

Script script(const std::string& manifest) {
  return make_script("mine.lua", "return 1", {}, {"--manifest", manifest});
}

ScriptCall call(const std::string& manifest, TimeSource time = TimeSource::virtual_time) {
  return ScriptCall(script(manifest), policy(), time);
}

// The words of the command behind `EVALSHA sha`: the count of keys, the keys, the arguments.
std::vector<std::string> words(ScriptCall& call, const Attempt& attempt) {
  std::string wire = "left from before";
  call.render(attempt, wire);
  ReplyReader reader;
  reader.feed(wire.data(), wire.size());
  Reply reply;
  REQUIRE(reader.next(reply) == ReplyReader::Next::reply);
  std::vector<std::string> words;
  for (const Reply& word : reply.elements) words.push_back(word.text);
  REQUIRE(words.size() >= 3);
  CHECK(words[0] == "EVALSHA");
  CHECK(words[1] == call.script().sha1);
  words.erase(words.begin(), words.begin() + 2);
  return words;
}

std::vector<std::string> words(const std::string& manifest, std::string_view key = "k") {
  ScriptCall made = call(manifest);
  return words(made, {key, 3, kNow});
}

using Words = std::vector<std::string>;

// The reply to these bytes, decoded.
Decision decoded(const std::string& manifest, std::string_view bytes) {
  ReplyReader reader;
  reader.feed(bytes.data(), bytes.size());
  Reply reply;
  REQUIRE(reader.next(reply) == ReplyReader::Next::reply);
  ScriptCall made =
      call(manifest + (manifest.find("args") == manifest.npos ? "\nargs = now_us" : ""));
  Decision decision;
  decision.sent_us = kNow;
  made.decode(reply, {"k", 3, kNow}, decision);
  return decision;
}

Outcome outcome(const std::string& manifest, std::string_view bytes) {
  return decoded(manifest, bytes).outcome;
}

const std::string kByPosition = "reply = allowed, remaining, retry_after_us, decided_us";

}  // namespace

TEST_CASE("a command is EVALSHA with its keys and arguments, byte by byte") {
  ScriptCall made = call("args = limit, now_us, 'x'\nreply = allowed");
  std::string wire;
  const std::string key("a\r\n\0b", 5);
  made.render({key, 1, kNow}, wire);
  CHECK(wire == "*7\r\n$7\r\nEVALSHA\r\n$40\r\n" + made.script().sha1 + "\r\n$1\r\n1\r\n$5\r\n" +
                    key + "\r\n$3\r\n100\r\n$16\r\n1795214760123456\r\n$1\r\nx\r\n");
}

TEST_CASE("every argument by name has its value and unit") {
  CHECK(words("args = limit, capacity, window_us, window_ms, window_s, cost, now_us\n"
              "reply = allowed") ==
        Words{"1", "k", "100", "100", "60000000", "60000", "60", "3", "1795214760123456"});
  CHECK(words("args = now_us, now_ms, now_s, block_ms, \"\", 'a b'\nreply = allowed") ==
        Words{"1", "k", "1795214760123456", "1795214760123", "1795214760", "1501", "", "a b"});
  CHECK(words("args = rate_per_s, emission_ms, now_s\nreply = allowed") ==
        Words{"1", "k", "1.6666666666666667", "600", "1795214760"});
}

TEST_CASE("the emission interval is a fraction of the window, in each unit") {
  CHECK(words("args = emission_us, emission_ms, emission_s, now_us\nreply = allowed") ==
        Words{"1", "k", "600000", "600", "0.6", "1795214760123456"});
}

TEST_CASE("keys and arguments are made of texts and the key, and a key of slots is many keys") {
  CHECK(words("keys = {<key>}:value, '', \"a, b\"\nargs = 'of:<key>', 'x', now_us\n"
              "reply = allowed") ==
        Words{"3", "{k}:value", "", "a, b", "of:k", "x", "1795214760123456"});
  const Words slots = words("keys = <key>:<slot>\nargs = now_us\nreply = allowed");
  REQUIRE(slots.size() == 102);  // a limit of 100
  CHECK(slots[0] == "100");
  CHECK(slots[1] == "k:1");
  CHECK(slots[100] == "k:100");
}

TEST_CASE("the published limiters' time arguments have their value and unit") {
  CHECK(
      words("args = now_ns, now_float_s, expires_ms, window_ns\nreply = allowed") ==
      Words{"1", "k", "1795214760123456000", "1795214760.123456", "1795214820123", "60000000000"});
  CHECK(words("keys = <key>:<window_number>, <key>:<previous_window_number>, "
              "<key>:<window_start_ms>\nreply = allowed") ==
        Words{"3", "k:29920246", "k:29920245", "k:1795214760000"});
  CHECK(words("keys = <tagged_key>:a, <key>:<period>\nargs = now_us\nreply = allowed") ==
        Words{"2", "{k}:a", "k:minute", "1795214760123456"});
  CHECK(words("keys = <tagged_key>:a\nargs = now_us\nreply = allowed", "a{b}c")[1] == "a{b}c:a");
}

TEST_CASE("code that runs a command itself gets all of its words") {
  ScriptCall made(make_script("the command", "", {},
                              {"",
                               "command = ZADD z:<key> <now_ms> <cost>\n"
                               "reply = allowed = reply == 1"}),
                  policy(), TimeSource::modelled);
  CHECK(made.values_of({"k", 3, kNow}).arguments == Words{"ZADD", "z:k", "1795214760123", "3"});
}

TEST_CASE("code that runs the script itself gets the same values as on the wire") {
  ScriptCall made = call(
      "keys = <key>, <block_key>, <key>:<window_number>\n"
      "args = limit, capacity, window_us, window_ms, window_s, window_ns, cost, now_us, now_ms, "
      "now_s, now_ns, now_float_s, expires_ms, ttl_ms, ttl_s, rate_per_s, emission_us, "
      "emission_ms, emission_s, block_ms, ''\n"
      "reply = allowed");
  Attempt attempt{"k:minute", 3, kNow};
  attempt.clock_offset_us = -2'000'001;
  const ScriptCall::Values values = made.values_of(attempt);
  Words all{"3"};
  all.insert(all.end(), values.keys.begin(), values.keys.end());
  all.insert(all.end(), values.arguments.begin(), values.arguments.end());
  CHECK(all == words(made, attempt));
  ScriptCall random = call("args = uuid, now_us\nreply = allowed");
  CHECK(random.values_of(attempt).arguments[0].size() == 32);
  CHECK(random.values_of(attempt).arguments[0] != random.values_of(attempt).arguments[0]);
}

TEST_CASE("on the virtual clock keys live for an hour, otherwise as long as the window") {
  const std::string manifest = "args = ttl_ms, ttl_s, now_us\nclock = redis\nreply = allowed";
  ScriptCall virtual_time = call(manifest);
  CHECK(words(virtual_time, {"k", 1, kNow}) ==
        Words{"1", "k", "3600000", "3600", "1795214760123456"});
  ScriptCall real = call(manifest, TimeSource::real);
  CHECK(words(real, {"k", 1, kNoTime}) == Words{"1", "k", "60000", "60", ""});
}

TEST_CASE("on the wall clock, a script with a time argument gets the time") {
  ScriptCall real = call("args = now_us, now_ms\nreply = allowed", TimeSource::real);
  const std::int64_t before = now_us();
  const Words sent = words(real, {"k", 1, kNoTime});
  CHECK(std::stoll(sent.at(2)) >= before);
  CHECK(std::stoll(sent.at(2)) <= now_us());
  CHECK(std::stoll(sent.at(3)) == std::stoll(sent.at(2)) / 1'000);
}

TEST_CASE("each uuid is different") {
  ScriptCall first = call("args = uuid, now_us\nreply = allowed", TimeSource::real);
  ScriptCall second = call("args = uuid, now_us\nreply = allowed", TimeSource::real);
  std::set<std::string> seen;
  for (int i = 0; i < 1'000; ++i) {
    seen.insert(words(first, {"k", 1, kNow}).at(2));
    seen.insert(words(second, {"k", 1, kNow}).at(2));
  }
  CHECK(seen.size() == 2'000);
}

TEST_CASE(
    "on the virtual clock a policy's uuids are the same in each run, and another's are others") {
  const auto uuids = [](const std::string& key) {
    Policy of_key = policy();
    of_key.key = key;
    ScriptCall made(script("args = uuid, now_us\nreply = allowed"), of_key,
                    TimeSource::virtual_time);
    std::vector<std::string> seen;
    for (int i = 0; i < 3; ++i) seen.push_back(words(made, {"k", 1, kNow}).at(2));
    return seen;
  };
  CHECK(uuids("a:<ip>") == uuids("a:<ip>"));
  CHECK(uuids("a:<ip>")[0] != uuids("a:<ip>")[1]);
  CHECK(uuids("a:<ip>")[0] != uuids("b:<ip>")[0]);
}

TEST_CASE("keys are templates over the key and the window's number") {
  const std::string rest = "\nargs = now_us\nreply = allowed";
  CHECK(words("keys = <key>, {<key>}:value" + rest, "u1") ==
        Words{"2", "u1", "{u1}:value", "1795214760123456"});
  CHECK(words("keys = p:<key>:<window_number>, <window_number>-<window_number>" + rest) ==
        Words{"2", "p:k:29920246", "29920246-29920246", "1795214760123456"});
  CHECK(words("keys = <key>, fixed" + rest, std::string_view("\0\n", 2)) ==
        Words{"2", std::string("\0\n", 2), "fixed", "1795214760123456"});
}

TEST_CASE("a key that looks like a template is not one") {
  const std::string rest = "\nargs = now_us\nreply = allowed";
  CHECK(words("keys = <key>, x:<key>" + rest, "<window_number><key>") ==
        Words{"2", "<window_number><key>", "x:<window_number><key>", "1795214760123456"});
}

TEST_CASE("a script without a time argument can't run on the virtual clock") {
  CHECK_THROWS_WITH_AS(call("args = limit, ttl_ms\nreply = allowed"),
                       doctest::Contains("virtual clock"), Error);
  CHECK_NOTHROW(call("args = limit, ttl_ms\nreply = allowed", TimeSource::real));
  for (const char* now : {"now_us", "now_ms", "now_s"})
    CHECK_NOTHROW(call(std::string("args = ") + now + "\nreply = allowed"));
}

TEST_CASE("a reply is read by position") {
  const Decision allowed = decoded(kByPosition, "*4\r\n:1\r\n:99\r\n:0\r\n:1795214760123456\r\n");
  CHECK(allowed.outcome == Outcome::allowed);
  CHECK(allowed.remaining == 99);
  CHECK(allowed.retry_after_us == 0);
  CHECK(allowed.decided_us == kNow);
  const Decision denied = decoded(kByPosition, "*4\r\n:0\r\n:0\r\n:250\r\n:1\r\n");
  CHECK(denied.outcome == Outcome::denied);
  CHECK(denied.retry_after_us == 250);
  CHECK(decoded("reply = _, allowed, delay_ms", "*3\r\n:0\r\n:1\r\n:20\r\n").delay_us == 20'000);
  CHECK(decoded("reply = allowed, retry_after_s", "*2\r\n:0\r\n$4\r\n1.25\r\n").retry_after_us ==
        1'250'000);
  CHECK(decoded("reply = allowed, count", "*2\r\n:0\r\n:130\r\n").remaining == 0);
  CHECK(decoded("reply = allowed, count", "*2\r\n:1\r\n:40\r\n").remaining == 60);
}

TEST_CASE("a reply that is not an array is its own first value") {
  CHECK(outcome("reply = allowed", ":1\r\n") == Outcome::allowed);
  CHECK(outcome("reply = allowed", ":0\r\n") == Outcome::denied);
  CHECK(outcome("reply = allowed", "$1\r\n1\r\n") == Outcome::allowed);
  CHECK(outcome("reply = allowed", "$-1\r\n") == Outcome::denied);
  CHECK(outcome("reply = allowed", "*-1\r\n") == Outcome::denied);
  CHECK(decoded(kByPosition, ":1\r\n").remaining == -1);
  CHECK(outcome("reply = _, allowed", ":1\r\n") == Outcome::unknown);
}

TEST_CASE("a reply without its `allowed` is unknown, with a reason") {
  for (const char* bytes : {"*0\r\n", "+OK\r\n", "$0\r\n\r\n", "$3\r\nyes\r\n", "$3\r\nnan\r\n",
                            "*1\r\n*1\r\n:1\r\n"}) {
    CAPTURE(bytes);
    const Decision decision = decoded(kByPosition, bytes);
    CHECK(decision.outcome == Outcome::unknown);
    CHECK(decision.problem.find("allowed") != std::string::npos);
  }
}

TEST_CASE("values that the reply lacks stay empty") {
  for (const char* bytes : {"*1\r\n:1\r\n", "*4\r\n:1\r\n$-1\r\n$-1\r\n$-1\r\n",
                            "*4\r\n:1\r\n$1\r\nx\r\n$0\r\n\r\n$3\r\ninf\r\n"}) {
    CAPTURE(bytes);
    const Decision decision = decoded(kByPosition, bytes);
    CHECK(decision.outcome == Outcome::allowed);
    CHECK(decision.remaining == -1);
    CHECK(decision.retry_after_us == kNoTime);
    CHECK(decision.decided_us == kNoTime);
  }
  // Scripts reply -1 if waiting does not help.
  CHECK(decoded(kByPosition, "*3\r\n:0\r\n:0\r\n:-1\r\n").retry_after_us == kNoTime);
}

TEST_CASE("numbers out of range are limited to the range") {
  const Decision decision = decoded("reply = allowed, remaining, retry_after_s",
                                    "*3\r\n:1\r\n$5\r\n1e300\r\n:9223372036854775807\r\n");
  CHECK(decision.remaining > 4'000'000'000'000'000'000);
  CHECK(decision.retry_after_us > 4'000'000'000'000'000'000);
}

TEST_CASE("expressions know the limit, whether or not it is an argument of the script") {
  const std::string count = "args = cost, now_us\nreply = allowed = reply <= limit";
  CHECK(outcome(count, ":100\r\n") == Outcome::allowed);
  CHECK(outcome(count, ":101\r\n") == Outcome::denied);
  const std::string same = "args = limit, now_us\nreply = allowed = reply[1] <= limit";
  CHECK(outcome(same, "*1\r\n:100\r\n") == Outcome::allowed);
  CHECK(outcome(same, "*1\r\n:101\r\n") == Outcome::denied);
  CHECK(outcome(same, ":1\r\n") == Outcome::unknown);
  CHECK(outcome("reply = allowed = reply == cost", ":3\r\n") == Outcome::allowed);
  CHECK(outcome("reply = allowed = window_ms == 60000 and ttl_s == 3600", ":3\r\n") ==
        Outcome::allowed);
}

TEST_CASE("expressions know the time of the attempt") {
  const std::string reset = "reply = allowed = reply[1] >= 0, retry_after_ms = reply[2] - now_ms";
  CHECK(decoded(reset, "*2\r\n:-1\r\n:1795214760623\r\n").retry_after_us == 500'000);
  ScriptCall real =
      ScriptCall(script("args = now_s\nreply = allowed = now_us == 5000007"), policy());
  Decision decision;
  decision.sent_us = 5'000'007;
  real.decode({}, {"k", 1, kNoTime}, decision);
  CHECK(decision.outcome == Outcome::allowed);
}

// The replies of published limiters (each from the project's own script).
TEST_CASE("rate-limiter-flexible: consumed points against the limit") {
  const std::string manifest = "reply = allowed = reply[1] <= limit, retry_after_ms = reply[2]";
  const Decision denied = decoded(manifest, "*2\r\n:101\r\n:59000\r\n");
  CHECK(denied.outcome == Outcome::denied);
  CHECK(denied.retry_after_us == 59'000'000);
  CHECK(outcome(manifest, "*2\r\n:100\r\n:59000\r\n") == Outcome::allowed);
}

TEST_CASE("limits: 1 is allowed and nil is denied") {
  CHECK(outcome("reply = allowed", ":1\r\n") == Outcome::allowed);
  CHECK(outcome("reply = allowed", "$-1\r\n") == Outcome::denied);
}

TEST_CASE("redisson: nil is allowed and a number is the time to wait") {
  const std::string manifest = "reply = allowed = not reply, retry_after_ms = reply";
  const Decision allowed = decoded(manifest, "$-1\r\n");
  CHECK(allowed.outcome == Outcome::allowed);
  CHECK(allowed.retry_after_us == kNoTime);
  const Decision denied = decoded(manifest, ":1500\r\n");
  CHECK(denied.outcome == Outcome::denied);
  CHECK(denied.retry_after_us == 1'500'000);
}

TEST_CASE("upstash: remaining, or -1 for denied, against the limit of the reply") {
  const std::string sliding = "reply = allowed = reply[1] >= 0, remaining = reply[1]";
  CHECK(outcome(sliding, "*2\r\n:0\r\n:100\r\n") == Outcome::allowed);
  CHECK(outcome(sliding, "*2\r\n:-1\r\n:100\r\n") == Outcome::denied);
  const std::string fixed =
      "reply = allowed = reply[1] <= reply[2], remaining = reply[2] - reply[1]";
  CHECK(decoded(fixed, "*2\r\n:40\r\n:100\r\n").remaining == 60);
  CHECK(outcome(fixed, "*2\r\n:101\r\n:100\r\n") == Outcome::denied);
}

TEST_CASE("redis_rate: seconds as text, -1 if there is nothing to wait for") {
  const std::string manifest = "reply = allowed, remaining, retry_after_s, reset_s";
  const Decision denied = decoded(manifest, "*4\r\n:0\r\n:0\r\n$4\r\n0.59\r\n$5\r\n59.99\r\n");
  CHECK(denied.outcome == Outcome::denied);
  CHECK(denied.retry_after_us == 590'000);
  CHECK(decoded(manifest, "*4\r\n:1\r\n:98\r\n$2\r\n-1\r\n$3\r\n0.6\r\n").retry_after_us ==
        kNoTime);
}

TEST_CASE("go-redisstore and aspnet: a missing last value is a denial") {
  const std::string manifest = "reply = allowed = reply[4] == 1, remaining = reply[2]";
  CHECK(outcome(manifest, "*4\r\n:100\r\n:99\r\n:5\r\n:1\r\n") == Outcome::allowed);
  CHECK(outcome(manifest, "*4\r\n:100\r\n:0\r\n:5\r\n$-1\r\n") == Outcome::denied);
  CHECK(outcome(manifest, "*3\r\n:100\r\n:0\r\n:5\r\n") == Outcome::denied);
}
