// Runs whole scripts on the model of Redis and on a redis-server: the same calls must get the same
// replies.
#include <doctest/doctest.h>

#include <random>

#include "base/escape.h"
#include "redis_fixture.h"
#include "run/explore/script_program.h"

namespace rlctl::test {
namespace {

constexpr std::int64_t kExploreStart = 2'000'000'000'000'000;

Policy explored_policy() {
  Policy policy;
  policy = policy_of({Rule{
      .limit = 3, .window_us = 3'600'000'000}});  // so long that no key expires during the test
  policy.capacity = 4;
  return policy;
}

std::string flat(const Answered& reply) {
  std::string text = std::to_string(reply.integer) + "|" + reply.text;
  for (const Answered& element : reply.elements) text += "[" + flat(element) + "]";
  return text;
}

std::string flat(const Reply& reply) {
  std::string text = std::to_string(reply.integer) + "|" + reply.text;
  for (const Reply& element : reply.elements) text += "[" + flat(element) + "]";
  return text;
}

// Random clients arrive at random times; each runs its program to the end, on both.
void compare(const Script& script, std::uint64_t seed) {
  CAPTURE(script.name);
  ScriptCall call(script, explored_policy(), TimeSource::modelled);
  ScriptProgram program(call, "api:u1");
  ScriptRunner runner;
  RedisModel model(1, kExploreStart, &runner);
  Server server;
  Connection redis = server.connect();
  std::mt19937_64 random(seed);
  std::int64_t now_us = kExploreStart;
  int denied = 0, allowed = 0;
  for (int i = 0; i < 40; ++i) {
    now_us += static_cast<std::int64_t>(random() % 3) * 400'000'000;
    // The server's clock can't be moved, so the model's clock does not move either: keys stay, and
    // times are arguments.
    const ProgramStart start{0, now_us};
    std::vector<Reply> replies;
    ProgramStep step = program.next(start, replies);
    while (!step.has_ended()) {
      const std::string expected = flat(redis.command(step.command));
      const Reply reply = model.execute(0, step.command);
      CAPTURE(step.command[0]);
      const bool tells_time = step.command[0] == "PTTL" || step.command[0] == "TTL";
      if (!tells_time) REQUIRE(flat(reply) == expected);
      replies.push_back(reply);
      step = program.next(start, replies);
    }
    denied += step.outcome == rlctl::Outcome::denied ? 1 : 0;
    allowed += step.outcome == rlctl::Outcome::allowed ? 1 : 0;
  }
  CHECK(allowed + denied == 40);
  CHECK(allowed > 0);
}

}  // namespace

TEST_CASE("scripts answer the same on the model and on Redis, wherever they run") {
  const Registry registry;
  for (const auto& [name, script] : registry.scripts()) {
    // Left out: fixed-anchored uses Redis's own clock; a counter in the process sends no command;
    // HyperLogLog is not modelled.
    if (name == "fixed-anchored" || name == "counter-per-process" || name == "hyperloglog")
      continue;
    Script stepwise = script;
    stepwise.manifest.run = RunPlace::client;
    compare(script, 1);
    compare(stepwise, 2);
  }
}

}  // namespace rlctl::test
