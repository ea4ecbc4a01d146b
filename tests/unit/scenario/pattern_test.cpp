#include "scenario/pattern.h"

#include <doctest/doctest.h>

#include <set>

#include "arrivals/identity_set.h"
#include "arrivals/phase_traffic.h"
#include "base/error.h"
#include "policy/rules_text.h"
#include "scenario/read/checks.h"

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

TEST_CASE("a cost is that of each request, and as many fewer requests reach the limit") {
  PatternOptions options;
  options.cost = 30;
  for (const PatternInfo& pattern : patterns())
    for (const Phase& phase : make_pattern(pattern, per_minute(100), options).phases) {
      CHECK(phase.cost.from == 30);
      CHECK(phase.cost.to == 30);
    }
  const Scenario scenario = make_pattern(find_pattern("boundary"), per_minute(100), options);
  CHECK(scenario.phases[0].bursts[0].count == 3);
  options.cost = 101;  // none of them fits
  CHECK(
      make_pattern(find_pattern("boundary"), per_minute(100), options).phases[0].bursts[0].count ==
      1);
}

TEST_CASE("phases of one pattern use different clients") {
  const Scenario scenario = make_pattern(find_pattern("double-click"), per_minute(1), {});
  REQUIRE(scenario.phases.size() == 2);
  CHECK(scenario.phases[0].mix[0].who != scenario.phases[1].mix[0].who);
  CHECK(scenario.identities[0].ip != scenario.identities[1].ip);
}

TEST_CASE("no two clients of a pattern have the same name or address") {
  REQUIRE(patterns().size() > 3);
  for (const PatternInfo& pattern : patterns()) {
    CAPTURE(pattern.name);
    std::set<std::string> users;
    std::set<std::string> addresses;
    std::int64_t count = 0;
    for (const IdentitySpec& spec : make_pattern(pattern, per_minute(20), {}).identities)
      for (std::int64_t n = 0; n < spec.count; ++n, ++count) {
        users.insert(IdentitySet(spec).at(n).user);
        addresses.insert(IdentitySet(spec).at(n).ip);
      }
    CHECK(std::ssize(users) == count);
    CHECK(std::ssize(addresses) == count);
  }
}

TEST_CASE("what may be held is held for a part of its lease, if the limiter has a finish") {
  const auto held_us = [](const char* rules, const PatternOptions& options) {
    PolicySpec spec;
    spec.policy = policy_of(parse_rules(rules, "policy"));
    return make_pattern(find_pattern("bot"), spec, options).phases[0].hold_us.to;
  };
  PatternOptions options;
  CHECK(held_us("5 in flight, lease 3s", options) == 0);
  options.has_finish = true;
  CHECK(held_us("5 in flight, lease 3s", options) == 1'500'000);
  CHECK(held_us("5 in flight", options) == 2'000'000);
  CHECK(held_us("5/1m", options) == 0);
  options.hold_us = 0;
  CHECK(held_us("5 in flight, lease 3s", options) == 0);
}

TEST_CASE("an option without effect on a pattern is refused, and so is an unknown pattern") {
  PatternOptions options;
  options.items = 5;
  CHECK_THROWS_AS(make_pattern(find_pattern("bot"), per_minute(20), options), Error);
  CHECK(make_pattern(find_pattern("drain"), per_minute(20), options).phases[0].items == 5);
  CHECK_THROWS_AS(find_pattern("bots"), Error);
}

TEST_CASE("a pattern asks each client for more than its limit, whatever the policy is") {
  REQUIRE(patterns().size() > 3);
  for (const PatternInfo& pattern : patterns())
    for (const bool real_time : {false, true}) {
      CAPTURE(pattern.name);
      CAPTURE(real_time);
      PolicySpec spec;
      spec.policy = policy_of({Rule{.limit = 20, .window_us = 10'000'000}});
      PatternOptions options;
      options.real_time = real_time;
      const Scenario scenario = make_pattern(pattern, spec, options);
      const Phase& phase = scenario.phases.front();
      // What one client sends in the first window, if it is planned.
      double sent = 0;
      for (const RateStage& stage : phase.stages)
        sent +=
            static_cast<double>(stage.from.count) / static_cast<double>(stage.from.per_us) * 5e6 +
            static_cast<double>(stage.to.count) / static_cast<double>(stage.to.per_us) * 5e6;
      for (const Burst& burst : phase.bursts) sent += static_cast<double>(burst.count);
      sent += static_cast<double>(phase.items);
      if (phase.model == TrafficModel::users) continue;
      CHECK(sent / static_cast<double>(scenario.identities.front().count) > 20 * 0.5);
      if (phase.mix.size() == 1)
        CHECK(sent / static_cast<double>(scenario.identities.front().count) > 20);
      if (real_time && phase.model == TrafficModel::rate) CHECK(phase.duration_us <= 12'500'000);
    }
}

TEST_CASE("a flood ends by a number of requests or by time, not both") {
  PatternOptions options;
  options.requests = 10;
  CHECK(make_pattern(find_pattern("flood"), per_minute(20), options).phases[0].requests == 10);
  options.duration_us = 1'000'000;
  CHECK_THROWS_AS(make_pattern(find_pattern("flood"), per_minute(20), options), Error);
}

// Signed overflow is undefined: the sanitizers see it here, and without them a negative number.
TEST_CASE("a pattern counts the largest policies without overflow, and they are refused") {
  const auto play = [](const PatternInfo& pattern, const char* rules, PatternOptions options) {
    PolicySpec spec;
    spec.policy = policy_of(parse_rules(rules, "policy"));
    if (!pattern.takes.users) options.users.reset();
    if (!pattern.takes.duration) options.duration_us.reset();
    const Scenario scenario = make_pattern(pattern, spec, options);
    double planned = 0;
    for (const Phase& phase : scenario.phases) {
      planned += planned_requests(phase);
      for (const RateStage& stage : phase.stages)
        CHECK(std::min(stage.from.count, stage.to.count) >= 0);
      for (const Burst& burst : phase.bursts) CHECK(burst.count > 0);
      CHECK(phase.duration_us >= 0);
    }
    CHECK(planned >= 0);
    if (planned > 20'000'000) CHECK_THROWS_AS(check_planned(scenario), Error);
    return planned;
  };
  for (const PatternInfo& pattern : patterns())
    for (const char* rules :
         {"9000000000000/1ms", "9000000000000/1ms fixed", "9000000000000/1ms first-hit",
          "bucket 9007199254740992 + 9000000000000/1ms", "bucket 9007199254740992 + 1/36500d",
          "2/36500d", "1/1ms", "9007199254740992 in flight"})
      for (const bool real_time : {false, true})
        for (const std::int64_t users : {std::int64_t{0}, std::int64_t{1}, std::int64_t{100'000}}) {
          CAPTURE(pattern.name);
          CAPTURE(rules);
          CAPTURE(users);
          PatternOptions options;
          options.real_time = real_time;
          if (users > 0) options.users = users;
          const bool is_huge = rules[0] == '9' || rules[0] == 'b';
          const bool has_plan = std::string(pattern.name) != "flood";
          const bool holds = std::string(rules).find("in flight") != std::string::npos;
          if (holds && pattern.takes.items && users == 0) {
            CHECK_THROWS_AS(play(pattern, rules, options), Error);  // so many consumers
            continue;
          }
          const double planned = play(pattern, rules, options);
          if (is_huge && has_plan) CHECK(planned > 1e9);
          options.duration_us = kLongestDurationUs;
          options.cost = 1'000'000;
          play(pattern, rules, options);
        }
}

TEST_CASE("more users than can play are refused") {
  PatternOptions options;
  options.users = 100'001;
  CHECK_THROWS_AS(make_pattern(find_pattern("flood"), per_minute(20), options), Error);
  CHECK_THROWS_AS(make_pattern(find_pattern("drain"), per_minute(20), options), Error);
  CHECK(make_pattern(find_pattern("ramp"), per_minute(20), options).identities[0].count == 100'001);
  options.users = INT64_MAX;
  CHECK_THROWS_AS(make_pattern(find_pattern("mix"), per_minute(20), options), Error);
}

TEST_CASE("a cost above what any rule admits at once is refused, whatever the pattern") {
  REQUIRE(!patterns().empty());
  for (const PatternInfo& pattern : patterns()) {
    CAPTURE(pattern.name);
    for (const char* rules : {"20/1m & 5/1s", "bucket 5 + 20/1m", "5 in flight"}) {
      PolicySpec spec;
      spec.policy = policy_of(parse_rules(rules, "policy"));
      PatternOptions options;
      options.cost = 5;
      CHECK_NOTHROW(check_pattern(make_pattern(pattern, spec, options)));
      options.cost = 6;
      CHECK_THROWS_AS(check_pattern(make_pattern(pattern, spec, options)), Error);
    }
  }
}
