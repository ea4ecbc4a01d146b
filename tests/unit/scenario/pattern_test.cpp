#include "scenario/pattern.h"

#include <doctest/doctest.h>

#include "base/error.h"

using namespace rlctl;

namespace {

PolicySpec per_minute(std::int64_t limit) {
  PolicySpec spec;
  spec.policy = policy_of({Rule{.limit = limit, .window_us = 60'000'000}});
  return spec;
}

}  // namespace

TEST_CASE("the phases of every pattern name only existing parts of the scenario") {
  REQUIRE(patterns().size() > 3);
  for (const PatternInfo& pattern : patterns()) {
    CAPTURE(pattern.name);
    const Scenario scenario = make_pattern(pattern, per_minute(20), {});
    CHECK(scenario.name == pattern.name);
    CHECK(scenario.policies.size() == 1);
    REQUIRE_FALSE(scenario.phases.empty());
    for (const Phase& phase : scenario.phases) {
      REQUIRE_FALSE(phase.mix.empty());
      for (const Share& share : phase.mix) CHECK(share.who < scenario.identities.size());
    }
  }
}

TEST_CASE("a boundary burst sends the limit on both sides of the edge, close to it") {
  const Scenario scenario = make_pattern(find_pattern("boundary"), per_minute(100), {});
  REQUIRE(scenario.phases.size() == 2);
  CHECK(scenario.phases[0].anchor == Anchor::window_edge);
  CHECK(scenario.phases[1].anchor == Anchor::first_hit);
  for (const Phase& phase : scenario.phases) {
    REQUIRE(phase.bursts.size() == 3);
    CHECK(phase.bursts[0].at_us == 59'900'000);
    CHECK(phase.bursts[1].at_us >= 60'000'000);
    CHECK(phase.bursts[1].at_us < 60'100'000);
    CHECK(phase.bursts[0].count == 100);
    CHECK(phase.bursts[1].count == 100);
    CHECK(phase.bursts[2].at_us < 61'000'000);  // and one more, to be denied
    CHECK(phase.bursts[2].count == 1);
  }
}

TEST_CASE("phases of one pattern use different clients") {
  const Scenario scenario = make_pattern(find_pattern("double-click"), per_minute(1), {});
  REQUIRE(scenario.phases.size() == 2);
  CHECK(scenario.phases[0].mix[0].who != scenario.phases[1].mix[0].who);
  CHECK(scenario.identities[0].ip != scenario.identities[1].ip);
}

TEST_CASE("an option without effect on a pattern is refused, and so is an unknown pattern") {
  PatternOptions options;
  options.items = 5;
  CHECK_THROWS_AS(make_pattern(find_pattern("bot"), per_minute(20), options), Error);
  CHECK(make_pattern(find_pattern("drain"), per_minute(20), options).phases[0].items == 5);
  CHECK_THROWS_AS(find_pattern("bots"), Error);
}
