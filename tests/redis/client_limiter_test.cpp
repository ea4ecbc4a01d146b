#include "limiter/client_limiter.h"

#include <doctest/doctest.h>

#include <random>

#include "limiter/limiter.h"
#include "limiter/wrapper.h"
#include "redis/private_redis.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

constexpr std::int64_t kClientStart_us = 1'763'683'980'000'000;

std::string manifest(const std::string& lines) {
  return "-- Test.\n-- rlctl: run = client\n" + lines;
}

const std::string kReadThenCount = manifest(
    "-- rlctl: args  = limit\n"
    "-- rlctl: reply = allowed\n"
    "if tonumber(redis.call('GET', KEYS[1]) or 0) >= tonumber(ARGV[1]) then return 0 end\n"
    "redis.call('INCR', KEYS[1])\n"
    "return 1\n");

Policy small_policy(std::int64_t limit, std::int64_t window_us = 60'000'000) {
  return policy_of({Rule{.limit = limit, .window_us = window_us}});
}

// One user with its own connection.
struct User {
  explicit User(PrivateRedis& on, const std::string& text, Policy policy = small_policy(2))
      : redis(on), call(make_script("test.lua", text), policy) {
    redis.loop().run(connection.connect(redis.unix_endpoint()));
    limiter = make_limiter(connection, call);
  }
  Decision decide(Attempt attempt = {"k", 1, kNoTime}) {
    return redis.loop().run(limiter->decide(attempt));
  }

  PrivateRedis& redis;
  Connection connection{redis.loop()};
  ScriptCall call;
  std::unique_ptr<Limiter> limiter;
};

std::string shown(const Reply& reply) {
  if (reply.is_nil()) return "nil";
  if (reply.is_integer()) return std::to_string(reply.integer);
  if (reply.is_error()) return "error";
  if (!reply.is_array()) return (reply.type == Reply::Type::status ? "+" : "$") + reply.text;
  std::string text = "[";
  for (const Reply& element : reply.elements) text += shown(element) + " ";
  return text + "]";
}

// Runs every step over the control connection.
Reply step_by_step(PrivateRedis& redis, const std::string& body) {
  ClientScript script(make_script("test.lua", body, {}, {"given", "reply = allowed"}));
  ClientScript::Run run(script);
  const std::vector<std::string> keys{"key"}, arguments{"10", ""};
  ScriptStep step = run.start(keys, arguments);
  while (!step.has_ended()) step = run.resume(redis.command(step.command));
  return step.result;
}

void compare_with_redis(PrivateRedis& redis, const char* body) {
  CAPTURE(body);
  redis.command({"FLUSHALL"});
  const Reply expected = redis.command({"EVAL", body, "1", "key", "10", ""});
  redis.command({"FLUSHALL"});
  CHECK(shown(step_by_step(redis, body)) == shown(expected));
}

}  // namespace

TEST_CASE("a script gives the same result here as in Redis, with exact types and digits") {
  PrivateRedis redis;
  const char* const bodies[] = {
      "return {1, 2.9, -2.9, 'x', true, false, 5, nil, 6}",
      "local n = 2 return {KEYS[1], ARGV[1] + 5, #ARGV, ARGV[2], KEYS[n]}",
      "return redis.call('SET', KEYS[1], 'v')",
      "redis.call('SET', KEYS[1], 12345678901234) return redis.call('GET', KEYS[1])",
      "redis.call('SET', KEYS[1], 1763683982123456) return redis.call('GET', KEYS[1])",
      "redis.call('SET', KEYS[1], 2^53) return redis.call('GET', KEYS[1])",
      "redis.call('SET', KEYS[1], -7.25) return redis.call('GET', KEYS[1])",
      "return tostring(1763683982123456)",
      "return 3e9 .. ' ' .. 1e15 .. ' ' .. 0.1",
      "return tostring(redis.call('GET', 'nothing'))",
      "return redis.call('GET', 'nothing')",
      "redis.call('RPUSH', KEYS[1], 'a', 1) return redis.call('LRANGE', KEYS[1], 0, -1)",
      "return type(redis.call('INCR', KEYS[1]))",
      "return redis.call('SET', KEYS[1], 'v').ok",
      "redis.call('RPUSH', KEYS[1], 1) return redis.pcall('GET', KEYS[1])",
      "redis.call('RPUSH', KEYS[1], 1) return redis.pcall('GET', KEYS[1]).err",
      "redis.call('RPUSH', KEYS[1], 1) return redis.call('GET', KEYS[1])",
      "redis.call('RPUSH', KEYS[1], 1) return {pcall(redis.call, 'LLEN', KEYS[1])}",
      "return {pcall(error, 'x', 0)}",
      "return type(select(2, pcall(redis.call, 'HGET', KEYS[1])))",
      "return redis.error_reply('MY error')",
      "return redis.status_reply('FINE')",
      "return redis.sha1hex('x')",
      "return cjson.encode({1, 'two', {x = cjson.null}, {y = 2.5}})",
      "return cjson.encode({})",
      "return cjson.decode('{\"a\": [1, 2.7, null, \"\\\\u00e9\"]}').a",
      "return cjson.decode('[null]')[1] == cjson.null",
      "return cjson.decode('[01, 0x10, -0, \"\\200\\n\"]')",
      "return {cjson.encode(2^53), cjson.encode(0.1), cjson.encode({[2] = 1}), cjson.encode('/')}",
      "return {pcall(cjson.decode, '[1,]')}",
      "return {pcall(cjson.encode, {[100] = 1})}",
      "return cjson.decode('[1] x')",
      "return {bit.band(0xff, 0x0f), bit.lshift(1, 4), bit.bxor(5, 1)}",
      "return string.format('%.0f %5.2f %d', 1763683982123456, 1.005, 42)",
      "return {string.match('12+3/4', '^(%d+)%+(%d+)/(%d+)$')}",
      "return {math.floor(-1.5), math.ceil(1.2), math.max(1, 2), 7 % -3, -7 % 3}",
      "return {unpack({1, 2, 3})}",
      "return #{1, 2, nil, 4}",
      "return table.concat({1, 2.5, 'x'}, ',')",
      "return not_there",
      "here = 1 return 1",
      "return redis.call()",
      "return redis.call('GET', {})",
      "return os.execute('true')",
      "return {tostring(1/0), tostring(-1/0)}",
      "return tonumber('0x10') + tonumber('  12  ') + tonumber('1e2')",
  };
  for (const char* body : bodies) compare_with_redis(redis, body);
}

TEST_CASE("struct packs and unpacks as in Redis") {
  PrivateRedis redis;
  const char* const bodies[] = {
      "local p = struct.pack('Bc0I', 3, 'abc', 7) return {p, struct.unpack('Bc0I', p)}",
      "return {struct.unpack('>i3<hL', struct.pack('>i3<hL', -70000, -2, 2^40))}",
      "return {struct.pack('!bi!4bd> !lx', 1, 2, 3, 0.5, -1), struct.size('!bi!4bd> !lx')}",
      "return {struct.unpack('fd', struct.pack('fd', 0.25, -1e300)), struct.size('<i7Tc9h')}",
      "return {struct.unpack('>fs', struct.pack('>fs', 1.5, 'a text'))}",
      "return struct.pack('c2s', 'xyz', 'tail')",
      "return {struct.unpack('bB', '\\255\\255\\1', 2)}",
      "return struct.pack('c5', 'xyz')",
      "return struct.pack('ii', 1)",
      "return struct.pack('q', 1)",
      "return struct.pack('!3i', 1)",
      "return struct.unpack('i', 'abc')",
      "return struct.unpack('c0', 'abc')",
      "return struct.unpack('s', 'abc')",
      "return struct.unpack('b', 'abc', 0)",
      "return struct.size('bs')",
  };
  for (const char* body : bodies) compare_with_redis(redis, body);
}

TEST_CASE("a script that runs step by step decides, and its time covers all its commands") {
  PrivateRedis redis;
  User user(redis, kReadThenCount);
  std::int64_t last_us = 0;
  for (const Outcome expected : {Outcome::allowed, Outcome::allowed, Outcome::denied}) {
    const Decision decision = user.decide();
    CHECK(decision.outcome == expected);
    CHECK(decision.sent_us >= last_us);
    CHECK(decision.received_us > decision.sent_us);
    CHECK(decision.decided_us == kNoTime);
    last_us = decision.received_us;
  }
  CHECK(redis.command({"GET", "k"}).text == "2");
  CHECK(user.call.remark().empty());
}

TEST_CASE("every shipped algorithm without contention decides the same on the client as in Redis") {
  PrivateRedis redis;
  Connection connection(redis.loop());
  redis.loop().run(connection.connect(redis.unix_endpoint()));
  const Registry registry;
  int compared = 0;
  for (const auto& [name, script] : registry.scripts()) {
    if (!script.manifest.flaw.empty() || !script.manifest.is_told_time()) continue;
    CAPTURE(name);
    Policy policy = small_policy(7, 1'000'000);
    policy.block_us = 500'000;
    for (const bool blocks : {false, true}) {
      const Script one = blocks ? with_block(script) : script;
      ScriptCall there(one, policy, TimeSource::virtual_time);
      ScriptCall here(run_at(one, RunPlace::client), policy, TimeSource::virtual_time);
      const auto server = make_limiter(connection, there), client = make_limiter(connection, here);
      std::mt19937 random(42);
      std::int64_t now_us = kClientStart_us;
      for (int i = 0; i < 120; ++i) {
        now_us += random() % 200'000;
        const std::int64_t cost = 1 + random() % 3;
        const Decision expected = redis.loop().run(server->decide({"there", cost, now_us}));
        const Decision decision = redis.loop().run(client->decide({"here", cost, now_us}));
        REQUIRE(expected.outcome <= Outcome::denied);
        REQUIRE(decision.outcome == expected.outcome);
        CHECK(decision.remaining == expected.remaining);
        CHECK(decision.retry_after_us == expected.retry_after_us);
        CHECK(decision.delay_us == expected.delay_us);
        CHECK(decision.decided_us == kNoTime);
      }
      redis.command({"FLUSHALL"});
      ++compared;
    }
  }
  CHECK(compared >= 16);
}

TEST_CASE("a connection that ends in the middle makes the decision unknown, the next one failed") {
  PrivateRedis redis;
  User user(redis, manifest("-- rlctl: reply = allowed\n"
                            "redis.call('GET', KEYS[1])\n"
                            "redis.call('SHUTDOWN', 'NOSAVE')\n"
                            "return 1\n"));
  const Decision lost = user.decide();
  CHECK(lost.outcome == Outcome::unknown);
  CHECK(lost.sent_us > 0);
  CHECK(lost.received_us == kNoTime);
  CHECK_FALSE(lost.problem.empty());
  const Decision not_sent = user.decide();
  CHECK(not_sent.outcome == Outcome::failed);
  CHECK(not_sent.sent_us == kNoTime);
  CHECK(not_sent.received_us == kNoTime);
}

TEST_CASE("a script error is `failed` before a possible write and `unknown` after one") {
  PrivateRedis redis;
  const auto outcome_of = [&](const std::string& body) {
    User user(redis, manifest("-- rlctl: reply = allowed\n" + body));
    const Decision decision = user.decide();
    CHECK_FALSE(decision.problem.empty());
    return decision.outcome;
  };
  CHECK(outcome_of("redis.call('GET', KEYS[1]) error('x')") == Outcome::failed);
  CHECK(outcome_of("redis.call('SET', KEYS[1], 1) error('x')") == Outcome::unknown);
  CHECK(outcome_of("redis.call('SET', KEYS[1], 'x') redis.call('LPOP', KEYS[1])") ==
        Outcome::unknown);
  CHECK(outcome_of("redis.call('LPOP', KEYS[1])") == Outcome::failed);
  CHECK(outcome_of("redis.call('MULTI') redis.call('INCR', KEYS[1]) error('x')") ==
        Outcome::failed);
  CHECK(
      outcome_of("redis.call('MULTI') redis.call('DEL', KEYS[1]) redis.call('EXEC') error('x')") ==
      Outcome::unknown);
  CHECK(outcome_of("while true do end") == Outcome::failed);
  CHECK(outcome_of("return redis.error_reply('NOT now')") == Outcome::failed);
  CHECK(outcome_of("return 'neither'") == Outcome::unknown);
  redis.command({"CONFIG", "SET", "maxmemory", "1"});
  CHECK(outcome_of("redis.call('SET', KEYS[1], 1) return 1") == Outcome::failed);
}

TEST_CASE("a command that would change the shared connection is refused, and the script goes on") {
  PrivateRedis redis;
  for (const char* words :
       {"'SELECT', 1", "'subscribe', 'c'", "'HELLO', 3", "'CLIENT', 'REPLY', 'OFF'", "'MONITOR'",
        "'QUIT'", "'AUTH', 'x'", "'RESET'"}) {
    CAPTURE(words);
    User user(redis, manifest(std::string("-- rlctl: reply = allowed\n"
                                          "local refused = redis.pcall(") +
                              words + ")\nreturn refused.err and 1 or 0\n"));
    CHECK(user.decide().outcome == Outcome::allowed);
    CHECK(user.decide().outcome == Outcome::allowed);
  }
}

TEST_CASE("MULTI and WATCH that a script leaves open are closed after it, and reported once") {
  PrivateRedis redis;
  User user(redis, manifest("-- rlctl: args  = limit, cost\n"
                            "-- rlctl: reply = allowed\n"
                            "redis.call('WATCH', KEYS[1])\n"
                            "if ARGV[2] == '2' then return 0 end\n"
                            "redis.call('MULTI')\n"
                            "redis.call('INCR', KEYS[1])\n"
                            "if ARGV[2] == '3' then return 0 end\n"
                            "return redis.call('EXEC') and 1 or 0\n"));
  CHECK(user.decide({"k", 1, kNoTime}).outcome == Outcome::allowed);
  CHECK(user.call.remark().empty());
  CHECK(user.decide({"k", 2, kNoTime}).outcome == Outcome::denied);
  CHECK(user.call.remark().find("UNWATCH") != std::string::npos);
  redis.command({"SET", "k", "5"});  // would fail the next EXEC if it were still watched
  CHECK(user.decide({"k", 1, kNoTime}).outcome == Outcome::allowed);
  CHECK(user.decide({"k", 3, kNoTime}).outcome == Outcome::denied);
  CHECK(user.call.remark().find("UNWATCH") != std::string::npos);
  CHECK(user.decide({"k", 1, kNoTime}).outcome == Outcome::allowed);
  CHECK(redis.command({"GET", "k"}).text == "7");
}

TEST_CASE("a client clock that is ahead shows in every time argument") {
  PrivateRedis redis;
  User user(redis,
            manifest("-- rlctl: keys  = <key>, <key>:<window_number>:<previous_window_number>\n"
                     "-- rlctl: args  = now_us, now_ms, now_s, now_ns, now_float_s, expires_ms\n"
                     "-- rlctl: reply = allowed\n"
                     "-- rlctl: clock = argument\n"
                     "redis.call('SET', KEYS[1], table.concat(ARGV, ' ') .. KEYS[2])\n"
                     "return 1\n"));
  ScriptCall call(user.call.script(), small_policy(2), TimeSource::virtual_time);
  const auto limiter = make_limiter(user.connection, call);
  Attempt attempt{"k", 1, kClientStart_us};
  attempt.clock_offset_us = 2'000'042;
  CHECK(redis.loop().run(limiter->decide(attempt)).outcome == Outcome::allowed);
  CHECK(redis.command({"GET", "k"}).text ==
        "1763683982000042 1763683982000 1763683982 1763683982000042000 1763683982.000042 "
        "1763684042000k:29394733:29394732");
}

TEST_CASE("a script that sends no command to Redis still decides") {
  PrivateRedis redis;
  User user(redis, manifest("-- rlctl: reply = allowed\nreturn 1\n"));
  const Decision decision = user.decide();
  CHECK(decision.outcome == Outcome::allowed);
  CHECK(decision.sent_us > 0);
  CHECK(decision.received_us == decision.sent_us);
}
