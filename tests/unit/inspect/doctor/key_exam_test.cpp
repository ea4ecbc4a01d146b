#include "inspect/doctor/key_exam.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/units.h"
#include "limiter/registry.h"

using namespace rlctl;

namespace {

constexpr std::int64_t kNowUs = 1'795'214'760'123'456;

KeyState text(const std::string& key, const std::string& value, std::int64_t ttl_ms) {
  KeyState state;
  state.key = key;
  state.type_name = "string";
  state.type = StateType::string;
  state.value = value;
  state.ttl_ms = ttl_ms;
  return state;
}

KeyState log(const std::string& key, std::int64_t ttl_ms) {
  KeyState state;
  state.key = key;
  state.type_name = "list";
  state.type = StateType::list;
  state.time_unit = "s";
  state.ttl_ms = ttl_ms;
  return state;
}

std::vector<std::string> names_of(const KeyExam& exam) {
  HealthFindings findings;
  exam.examine(findings);
  std::vector<std::string> names;
  for (const HealthFinding& finding : findings) names.emplace_back(finding.row().name);
  return names;
}

using Names = std::vector<std::string>;

std::vector<std::string> examined(const std::vector<KeyState>& states, KeyExamPlan plan = {}) {
  KeyExam exam(plan);
  KeyReader reader(Registry(), {});
  for (const KeyState& state : states) exam.add(state, reader.read(state, {}), kNowUs);
  return names_of(exam);
}

}  // namespace

TEST_CASE("names that differ in numbers or within braces are one family") {
  CHECK(family_of("rl:10.0.0.1:minute") == "rl:#.#.#.#:minute");
  CHECK(family_of("rl:{ann}:minute") == "rl:{#}:minute");
  CHECK(family_of("rl:{open") == "rl:{open");
}

TEST_CASE("a number without an expiry counts requests if its siblings expire, or perhaps") {
  const KeyState stuck = text("rl:2", "5", kNoExpiry);
  CHECK(examined({text("rl:1", "5", 60'000), stuck}) == Names{"no-expiry"});
  CHECK(examined({stuck}) == Names{"perhaps-no-expiry"});
  CHECK(examined({stuck, text("views", "7", kNoExpiry)}) == Names{"perhaps-no-expiry"});
  CHECK(examined({stuck}, {.all_are_limits = true}) == Names{"no-expiry"});
  CHECK(examined({log("log:1", kNoExpiry), log("log:2", 1'000)}) == Names{"kept-for-ever"});
}

TEST_CASE("an expiry is long beside the window, if that is known") {
  const KeyState state = text("rl:1", "5", 3'600'000);
  KeyExamPlan plan;
  plan.policy = policy_of({Rule{.limit = 20, .window_us = 60 * kSecondUs}});
  CHECK(examined({state}).empty());
  CHECK(examined({state}, plan) == Names{"long-expiry"});
}

TEST_CASE("what is left is not below zero, nor above the limit") {
  CHECK(examined({text("b:1.tokens", "-3", 1'000)}) == Names{"impossible-balance"});
  CHECK(examined({text("b:1.tokens", "40", 1'000)}).empty());
  KeyExamPlan plan;
  plan.policy = policy_of({Rule{.limit = 20, .window_us = kSecondUs}});
  CHECK(examined({text("b:1.tokens", "40", 1'000)}, plan) == Names{"impossible-balance"});
}

TEST_CASE("one name with two types has two writers") {
  CHECK(examined({text("LIMITS:1", "5", 1'000), log("LIMITS:2", 1'000)}) == Names{"mixed-types"});
  CHECK(examined({text("a:1", "5", 1'000), log("b:2", 1'000)}).empty());
}

TEST_CASE("a flag without an end, and on a cluster a flag in another slot") {
  CHECK(examined({text("rl:1:blocked", "1", kNoExpiry)}) == Names{"endless-block"});
  CHECK(examined({text("rl:1:blocked", "1", 1'000)}, {.on_cluster = true}) ==
        Names{"crossed-slots"});
  CHECK(examined({text("rl:{1}:blocked", "1", 1'000)}, {.on_cluster = true}).empty());
}

TEST_CASE("the keys of one client are one, and the fullest counters are watched") {
  KeyExam exam({});
  KeyReader reader(Registry(), {});
  for (const KeyState& state :
       {text("rl:{1}:minute", "5", 1'000), text("rl:{1}:hour", "50", 1'000),
        text("rl:{1}:blocked", "1", 1'000), text("rl:{2}:minute", "7", 1'000),
        text("b:{3}.tokens", "90", 1'000), log("log:4", 1'000)})
    exam.add(state, reader.read(state, {}), kNowUs);
  CHECK(exam.keys() == 6);
  CHECK(exam.clients() == 4);
  std::vector<std::string> watched;
  for (const Counter& counter : exam.fullest().take()) watched.push_back(counter.key);
  CHECK(watched == Names{"log:4", "rl:{1}:minute", "rl:{2}:minute", "rl:{1}:hour"});
}
