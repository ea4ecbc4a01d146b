#include <doctest/doctest.h>

#include "base/error.h"
#include "scenario/speed_up.h"

using namespace rlctl;

namespace {

Scenario minute_at(std::int64_t speed) {
  Scenario scenario;
  scenario.speed = speed;
  scenario.policies.resize(1);
  scenario.policies[0].policy = policy_of({Rule{.limit = 100, .window_us = 60'000'000, .block_us = 120'000'000}});
  scenario.phases.resize(1);
  return scenario;
}

}  // namespace

TEST_CASE("speed divides windows, blocks and schedules") {
  Scenario scenario = minute_at(60);
  scenario.phases[0].stages = {{{30, 60'000'000}, {30, 60'000'000}, 300'000'000}};
  scenario.phases[0].duration_us = 300'000'000;
  const Scenario fast = sped_up(scenario);
  CHECK(rules_text(fast.policies[0].policy.rules) == "100/1s, block 2s");
  CHECK(fast.policies[0].policy.window_us == 1'000'000);
  CHECK(fast.policies[0].policy.block_us == 2'000'000);
  CHECK(fast.phases[0].duration_us == 5'000'000);
  CHECK(fast.phases[0].stages[0].duration_us == 5'000'000);
  CHECK(fast.phases[0].stages[0].from.count == 1'800);
  CHECK(fast.speed == 1);
}

TEST_CASE("speed keeps distances below a second to an edge and to the burst before") {
  Scenario scenario = minute_at(60);
  scenario.phases[0].bursts = {
      {0, 1, 120'000},    {59'900'000, 100, 0}, {60'000'000, 100, 2'000'000},
      {60'200'000, 1, 0}, {90'000'000, 1, 0},   {90'300'000, 1, 0}};
  const std::vector<Burst> bursts = sped_up(scenario).phases[0].bursts;
  CHECK(bursts[0].at_us == 0);
  CHECK(bursts[0].gap_us == 120'000);
  CHECK(bursts[1].at_us == 900'000);
  CHECK(bursts[2].at_us == 1'000'000);
  CHECK(bursts[2].gap_us == 2'000'000 / 60);
  CHECK(bursts[3].at_us == 1'200'000);
  CHECK(bursts[4].at_us == 1'500'000);
  CHECK(bursts[5].at_us == 1'800'000);
}

TEST_CASE("a speed that makes the window zero is refused") {
  CHECK_THROWS_AS(sped_up(minute_at(100'000)), Error);
  CHECK(sped_up(minute_at(1)).policies[0].policy.window_us == 60'000'000);
}
