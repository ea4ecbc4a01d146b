// Several machines that play one run together: which one sends what, and when.
#include "arrivals/shard.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "arrivals/phase_traffic.h"
#include "base/error.h"
#include "scenario/shard_plan.h"
#include "tools/contains.h"
#include "unit/scenario/scenario_fixture.h"

using namespace rlctl;
using test::contains;

namespace {

Scenario in_parts(const std::string& text) {
  const ParsedScenario result = parsed(text);
  REQUIRE(result.scenario);
  Scenario scenario = *result.scenario;
  scenario.clock = ScenarioClock::wall;
  scenario.target.kind = TargetKind::redis;
  scenario.shard = {1, 2};
  scenario.start_at_us = 1'800'000'000'000'000;
  return scenario;
}

std::string refusal(const Scenario& scenario) {
  try {
    check_shard(scenario);
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a part is written as its number and the number of parts") {
  CHECK(parse_shard("2/3", "--shard") == Shard{2, 3});
  CHECK(Shard{2, 3}.text() == "2/3");
  for (const char* text : {"", "2", "/3", "2/", "0/3", "4/3", "1/0", "-1/3", "1/1001", "a/b"})
    CHECK_THROWS_AS(parse_shard(text, "--shard"), Error);
}

TEST_CASE("together the parts send every event exactly once") {
  for (const std::uint32_t count : {1U, 2U, 3U, 7U}) {
    for (const std::int64_t events : {0, 1, 2, 6, 7, 100}) {
      std::int64_t shares = 0;
      for (std::uint32_t index = 1; index <= count; ++index) {
        const Shard shard{index, count};
        std::int64_t taken = 0;
        for (std::int64_t i = 0; i < events; ++i)
          taken += shard.takes(static_cast<std::uint64_t>(i));
        CHECK(shard.share_of(events) == taken);
        shares += taken;
      }
      CHECK(shares == events);
    }
  }
}

TEST_CASE("the parts pick the same clients and costs as a single machine") {
  const Scenario scenario = *parsed(whole_scenario()).scenario;
  Phase phase = scenario.phases.back();
  phase.cost = {1, 100, DrawnShape::uniform};
  const Clients clients = clients_of(scenario.identities, phase);
  RequestPicker one(scenario.identities, phase, clients, 7);
  RequestPicker first(scenario.identities, phase, clients, 7);
  RequestPicker second(scenario.identities, phase, clients, 7);
  std::set<std::uint32_t> costs;
  for (int i = 0; i < 100; ++i) {
    const Arrival whole = one.next();
    const Arrival part = i % 2 == 0 ? first.next_of({1, 2}) : second.next_of({2, 2});
    CHECK(part.client == whole.client);
    CHECK(part.cost == whole.cost);
    CHECK(part.number == static_cast<std::uint32_t>(i));
    costs.insert(whole.cost);
  }
  CHECK(costs.size() > 40);
}

TEST_CASE("the parts of a closed loop and of a queue send the costs of a single machine") {
  const Scenario scenario = *parsed(small_scenario()).scenario;
  Phase phase = scenario.phases[0];
  phase.cost = {1, 100, DrawnShape::uniform};
  const RequestPicker picker(scenario.identities, phase, clients_of(scenario.identities, phase), 7);
  const auto costs = [](Traffic&& traffic) {
    std::vector<std::uint32_t> sent;
    const Record answer;
    for (const Record* last = nullptr; const auto arrival = traffic.next({0, 0, last});
         last = &answer)
      sent.push_back(arrival->cost);
    return sent;
  };
  const auto merged = [](const std::vector<std::uint32_t>& odd,
                         const std::vector<std::uint32_t>& even) {
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < odd.size() + even.size(); ++i)
      all.push_back((i % 2 == 0 ? odd : even)[i / 2]);
    return all;
  };
  const auto closed = [&](std::int64_t requests, Shard shard) {
    return costs(ClosedTraffic({.requests = requests, .shard = shard}, picker));
  };
  CHECK(closed(20, {}).size() == 20);
  CHECK(merged(closed(10, {1, 2}), closed(10, {2, 2})) == closed(20, {}));
  const auto queue = [&](std::int64_t items, Shard shard) {
    return costs(DrainTraffic({.items = items, .retries = {}, .shard = shard}, picker, 7));
  };
  CHECK(merged(queue(10, {1, 2}), queue(10, {2, 2})) == queue(20, {}));
}

TEST_CASE("what is drawn for a request does not depend on what was drawn before it") {
  const DrawnNumber spread{1, 1'000'000, DrawnShape::uniform};
  std::set<std::int64_t> numbers;
  for (std::uint32_t number = 0; number < 100; ++number) {
    Random first = random_of_request(7, 5, number);
    Random again = random_of_request(7, 5, number);
    const std::int64_t drawn = draw(spread, first);
    CHECK(drawn == draw(spread, again));
    numbers.insert(drawn);
  }
  CHECK(numbers.size() == 100);
  const RetryPause pause({OnDeny::backoff, 60'000'000}, 7);
  const Record denied;
  const auto second = pause.after(1, 1, denied);
  CHECK(pause.after(0, 1, denied) != second);
  CHECK(pause.after(1, 1, denied) == second);
  CHECK(pause.after(1, 2, denied) != second);
}

TEST_CASE("scenarios that need shared state between machines are refused") {
  CHECK(refusal(in_parts(small_scenario())) == "");
  Scenario scenario = in_parts(small_scenario());
  scenario.start_at_us.reset();
  CHECK(contains(refusal(scenario), "begin at the same time"));
  scenario = in_parts(small_scenario());
  scenario.target.kind = TargetKind::embedded;
  CHECK(contains(refusal(scenario), "its own Redis"));
  scenario.shard = {};
  CHECK(refusal(scenario) == "");
  scenario = in_parts(small_scenario());
  scenario.clock = ScenarioClock::virtual_time;
  CHECK(contains(refusal(scenario), "virtual clock"));
  scenario = in_parts(small_scenario());
  scenario.phases[0].anchor = Anchor::first_hit;
  CHECK(contains(refusal(scenario), "only one machine sees"));
  scenario = in_parts(small_scenario());
  scenario.phases[0].lockstep = true;
  CHECK(contains(refusal(scenario), "uses lockstep"));
}

TEST_CASE("a phase after one with an unknown end is refused, unless it has a start") {
  Scenario scenario = in_parts(small_scenario());
  scenario.phases.push_back(scenario.phases[0]);
  scenario.phases[1].name = "next";
  CHECK(refusal(scenario) == "");
  scenario.phases[0].model = TrafficModel::consumers;
  CHECK(contains(refusal(scenario), "depends on the answers"));
  scenario.phases[1].start = Moment{0, 10'000'000};
  CHECK(refusal(scenario) == "");
}

TEST_CASE("threads can begin a phase when all have ended the one before, machines cannot") {
  Scenario scenario = in_parts(small_scenario());
  scenario.shard = {};
  scenario.start_at_us.reset();
  scenario.phases.push_back(scenario.phases[0]);
  scenario.phases[0].model = TrafficModel::consumers;
  CHECK_NOTHROW(check_threads(scenario, 2));
  scenario.target.kind = TargetKind::serve;
  CHECK_THROWS_WITH(check_threads(scenario, 2), "--threads: each thread would have its own server");
}

TEST_CASE("the duration of a phase is known from its schedule, or not at all") {
  Phase phase;
  phase.model = TrafficModel::rate;
  phase.duration_us = 5;
  CHECK(planned_length_us(phase) == 5);
  phase.model = TrafficModel::bursts;
  phase.bursts = {{10, 3, 4}, {2, 1, 0}};
  CHECK(planned_length_us(phase) == 18);
  phase.model = TrafficModel::users;
  CHECK(planned_length_us(phase) == 5);
  phase.duration_us = 0;
  CHECK_FALSE(planned_length_us(phase));
}

TEST_CASE("all parts of a run have its name, and no other run has it") {
  Scenario scenario = in_parts(small_scenario());
  const std::string name = shared_run_id(scenario);
  CHECK(name.size() == 8);
  scenario.shard = {2, 2};
  CHECK(shared_run_id(scenario) == name);
  scenario.seed += 1;
  CHECK(shared_run_id(scenario) != name);
}

TEST_CASE("machines that were told different plans do not play one run") {
  const Scenario scenario = in_parts(small_scenario());
  const std::string name = shared_run_id(scenario);
  const auto differs = [&](auto change) {
    Scenario other = scenario;
    change(other);
    return shared_run_id(other) != name;
  };
  CHECK(differs([](Scenario& other) { ++other.phases[0].stages[0].to.count; }));
  CHECK(differs([](Scenario& other) { ++other.identities[0].count; }));
  CHECK(differs([](Scenario& other) { ++other.policies[0].policy.rules[0].limit; }));
  CHECK(differs([](Scenario& other) { other.shard = {1, 3}; }));
  CHECK(differs([](Scenario& other) { other.phases[0].cost.shape = DrawnShape::lognormal; }));
  CHECK(differs([](Scenario& other) { other.phases[0].hold_us.shape = DrawnShape::lognormal; }));
  CHECK(differs([](Scenario& other) { other.phases[0].vanishing_share = 0.5; }));
  CHECK(differs([](Scenario& other) { other.phases[0].actual_cost = always(7); }));
  CHECK(differs([](Scenario& other) { other.target.url = "http://127.0.0.1:8081"; }));
  CHECK(differs([](Scenario& other) { other.policies[0].targets = {"http://127.0.0.1:1/"}; }));
  CHECK(differs([](Scenario& other) { other.policies[0].policy.key = "other:<ip>"; }));
}

TEST_CASE("each machine has its own password, and plays the same run") {
  const auto named = [](const char* url) {
    Scenario scenario = in_parts(small_scenario());
    scenario.target.url = url;
    return shared_run_id(scenario);
  };
  CHECK(named("http://ann:one@127.0.0.1/") == named("http://ann:two@127.0.0.1/"));
}
