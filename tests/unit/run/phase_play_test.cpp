// One phase of a scenario: its time 0, its keys, its users and its end.
#include "run/phase_play.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "unit/run/fakes.h"

using namespace rlctl;

namespace {

constexpr std::int64_t kPhaseStartUs = 1'000'000'007;

// One policy of 5 per 10s; bots (one address) and people (many).
Scenario plain_scenario(std::vector<Phase> phases) {
  Scenario scenario;
  PolicySpec policy;
  policy.name = "api";
  policy.policy = policy_of({Rule{.limit = 5, .window_us = 10 * kSecondUs}});
  policy.policy.key = "rl:<ip>";
  scenario.policies = {policy};
  IdentitySpec bot;
  bot.name = "bot";
  bot.ip = "203.0.113.7";
  IdentitySpec people;
  people.name = "people";
  people.ip = "10.0.0.0/24";
  people.count = 100;
  people.pick = Pick::uniform;
  scenario.identities = {bot, people};
  scenario.phases = std::move(phases);
  return scenario;
}

Phase phase_named(std::string name, TrafficModel model) {
  Phase phase;
  phase.name = std::move(name);
  phase.model = model;
  phase.mix = {{0, 1}};
  return phase;
}

Phase steady(std::string name, std::int64_t per_second, std::int64_t seconds) {
  Phase phase = phase_named(std::move(name), TrafficModel::rate);
  const Rate rate{per_second, kSecondUs};
  phase.stages = {{rate, rate, seconds * kSecondUs}};
  phase.duration_us = seconds * kSecondUs;
  return phase;
}

Phase bursts(std::string name, std::vector<Burst> of) {
  Phase phase = phase_named(std::move(name), TrafficModel::bursts);
  phase.bursts = std::move(of);
  return phase;
}

// Plays the phases of a scenario one after the other on a virtual clock, against a fake target.
struct Run {
  explicit Run(Scenario played, std::uint64_t network_seed = 1)
      : scenario(std::move(played)), network(loop, network_seed) {
    service.network = &network;
  }

  void play() {
    const auto all = [](Run& run) -> Task<> {
      for (std::uint32_t i = 0; i < run.scenario.phases.size(); ++i) {
        PhasePlay phase(run.clock, run.scenario, i, run.policy, run.target);
        Meeting meeting;
        co_await phase.play(std::nullopt, meeting);
        run.results.push_back(phase.result());
        run.problems.push_back(phase.problem());
      }
    };
    loop.run(all(*this));
  }

  const std::vector<Record>& records() const { return log().records; }
  const Log& log() const { return const_cast<Run*>(this)->policy.log(); }

  Loop loop;
  Scenario scenario;
  VirtualClock clock{loop, kPhaseStartUs};
  ShuffledNetwork network;
  FakeService service{.clock = clock};
  FakeTarget target{service};
  PolicyPlay policy{scenario.policies[0], Registry(), TargetKind::http, TimeSource::virtual_time};
  std::vector<PhaseResult> results;
  std::vector<std::string> problems;
};

// When the requests were meant to be sent, after the first one.
std::vector<std::int64_t> offsets_of(const std::vector<Record>& records) {
  std::vector<std::int64_t> offsets;
  for (const Record& record : records)
    offsets.push_back(record.intended_us - records.front().intended_us);
  return offsets;
}

bool same_records(const std::vector<Record>& a, const std::vector<Record>& b) {
  const auto parts = [](const Record& record) {
    return std::tuple(record.intended_us, record.sent_us, record.received_us, record.key,
                      record.who, record.phase, record.outcome);
  };
  return std::ranges::equal(a, b, {}, parts, parts);
}

Scenario random_scenario(std::uint64_t seed) {
  Phase mixed = steady("mixed", 50, 20);
  mixed.arrivals = ArrivalPattern::poisson;
  mixed.mix = {{0, 1}, {1, 9}};
  Phase drain = phase_named("drain", TrafficModel::consumers);
  drain.consumers = 4;
  drain.items = 20;
  drain.on_deny = OnDeny::backoff;
  drain.mix = {{1, 1}};
  Scenario scenario = plain_scenario({mixed, drain});
  scenario.seed = seed;
  return scenario;
}

std::vector<Record> random_records(std::uint64_t seed, std::uint64_t network_seed) {
  Run run(random_scenario(seed), network_seed);
  run.service.answer = [](std::size_t nth) {
    return decided(nth % 4 == 3 ? Outcome::denied : Outcome::allowed);
  };
  run.play();
  return run.records();
}

}  // namespace

TEST_CASE("a phase sends its schedule from its time 0 on, and counts the answers") {
  Run run(plain_scenario({steady("even", 4, 2)}));
  run.service.answer = [](std::size_t nth) {
    const Outcome outcomes[] = {Outcome::allowed, Outcome::denied, Outcome::allowed};
    return decided(outcomes[nth % 3]);
  };
  run.play();
  CHECK(offsets_of(run.records()) == std::vector<std::int64_t>{0, 250'000, 500'000, 750'000,
                                                               1'000'000, 1'250'000, 1'500'000,
                                                               1'750'000});
  REQUIRE(run.results.size() == 1);
  const PhaseResult& result = run.results[0];
  CHECK(result.started_us == kPhaseStartUs);
  CHECK(result.ended_us == kPhaseStartUs + 1'750'000);
  CHECK(result.offered == 8);
  CHECK(result.allowed == 5);
  CHECK(result.denied == 3);
  CHECK(result.dropped + result.late + result.unknown + result.failed == 0);
}

TEST_CASE("the same seed gives the same records, in any order of the network's answers") {
  const std::vector<Record> once = random_records(42, 1);
  CHECK(once.size() > 900);
  CHECK(same_records(once, random_records(42, 1)));
  CHECK(same_records(once, random_records(42, 99)));
  CHECK_FALSE(same_records(once, random_records(43, 1)));
}

TEST_CASE("a phase does not change with the number of requests of the phase before it") {
  Phase first = steady("first", 10, 1);
  Phase second = steady("second", 10, 1);
  second.mix = {{1, 1}};
  const auto keys_of_second = [&] {
    Run run(plain_scenario({first, second}));
    run.play();
    std::vector<std::string> keys;
    for (const Record& record : run.records())
      if (record.phase == 1) keys.push_back(run.log().keys.at(record.key));
    return keys;
  };
  const std::vector<std::string> before = keys_of_second();
  CHECK(before.size() == 10);
  first.mix = {{1, 1}};
  first.stages[0].duration_us *= 3;
  CHECK(keys_of_second() == before);
}

TEST_CASE("phases of one policy have keys of their own") {
  Run run(plain_scenario({bursts("one", {{0, 2}}), bursts("two", {{0, 1}})}));
  run.play();
  CHECK(run.log().keys ==
        std::vector<std::string>{"run:one:rl:203.0.113.7", "run:two:rl:203.0.113.7"});
  REQUIRE(run.records().size() == 3);
  CHECK(run.records()[1].key == 0);
  CHECK(run.records()[2].key == 1);
}

TEST_CASE("phases that share their keys use the policy's key, once") {
  std::vector<Phase> phases{bursts("one", {{0, 2}}), bursts("two", {{0, 1}}),
                            bursts("apart", {{0, 1}})};
  phases[0].share_keys = phases[1].share_keys = true;
  Run run(plain_scenario(phases));
  run.play();
  CHECK(run.log().keys ==
        std::vector<std::string>{"run:rl:203.0.113.7", "run:apart:rl:203.0.113.7"});
  REQUIRE(run.service.asked.size() == 4);
  CHECK(run.service.asked[2].key == "run:rl:203.0.113.7");
  CHECK(run.service.asked[3].key == "run:apart:rl:203.0.113.7");
}

TEST_CASE("the only phase of a policy uses the key as written") {
  Run run(plain_scenario({bursts("one", {{0, 1}})}));
  run.target.prefix = "";
  run.play();
  CHECK(run.log().keys == std::vector<std::string>{"rl:203.0.113.7"});
}

TEST_CASE("a service that makes its own keys has one key per client in all phases") {
  Scenario scenario = plain_scenario({bursts("one", {{0, 1}}), bursts("two", {{0, 1}})});
  Run apart(scenario);
  apart.target.prefix = "";
  apart.target.makes_keys = false;
  apart.play();
  CHECK(apart.log().keys == std::vector<std::string>{"rl:203.0.113.7"});
  for (Phase& phase : scenario.phases) phase.mix = {{0, 1}, {1, 1}};
  Run alike(scenario);
  alike.target.prefix = "";
  alike.target.makes_keys = alike.target.knows_clients = false;
  alike.play();
  CHECK(alike.log().keys == std::vector<std::string>{"all clients"});
}

TEST_CASE("a phase begins at an edge of the policy's windows") {
  Phase boundary = bursts("boundary", {{9'900'000, 2}, {10'000'000, 2}});
  boundary.anchor = Anchor::window_edge;
  Run run(plain_scenario({boundary}));
  run.play();
  REQUIRE(run.results.size() == 1);
  // the first request, 9.9 s after an edge, is still to come: no window has to pass first
  CHECK(run.results[0].started_us == 1'000 * kSecondUs);
  CHECK(offsets_of(run.records()) == std::vector<std::int64_t>{0, 0, 100'000, 100'000});
  CHECK(run.records()[0].sent_us == 1'009'900'000);
}

TEST_CASE("a phase begins at the admission of a first request that opens a window") {
  Phase phase = bursts("after", {{3'000, 2}});
  phase.anchor = Anchor::first_hit;
  Run run(plain_scenario({phase}));
  run.play();
  CHECK(offsets_of(run.records()) == std::vector<std::int64_t>{0, 3'000, 3'000});
  REQUIRE(run.results.size() == 1);
  CHECK(run.results[0].started_us == kPhaseStartUs);
  CHECK(run.results[0].offered == 3);
}

TEST_CASE("phases play one after the other, each from the end of the last") {
  Run run(plain_scenario({steady("one", 2, 2), steady("two", 2, 1)}));
  run.play();
  REQUIRE(run.results.size() == 2);
  CHECK(run.results[1].started_us == run.results[0].ended_us);
  CHECK(run.results[0].offered == 4);
  CHECK(run.results[1].offered == 2);
  CHECK(std::ranges::is_sorted(run.records(), {}, &Record::phase));
}

TEST_CASE("users of a closed loop think at least 1 ms, so that virtual time passes") {
  Phase flood = phase_named("flood", TrafficModel::users);
  flood.users = 2;
  flood.duration_us = 3'000;
  Run run(plain_scenario({flood}));
  run.play();
  CHECK(offsets_of(run.records()) == std::vector<std::int64_t>{0, 0, 1'000, 1'000, 2'000, 2'000});
  CHECK(run.target.plans.at(0).users == 2);
}

TEST_CASE("consumers finish all items and come back as they are told") {
  Phase drain = phase_named("drain", TrafficModel::consumers);
  drain.consumers = 1;
  drain.items = 3;
  drain.on_deny = OnDeny::retry_after;
  Run run(plain_scenario({drain}));
  run.service.answer = [](std::size_t nth) {
    Decision decision = decided(nth == 1 ? Outcome::denied : Outcome::allowed);
    if (nth == 1) decision.retry_after_us = 700;
    return decision;
  };
  run.play();
  CHECK(offsets_of(run.records()) == std::vector<std::int64_t>{0, 0, 700, 700});
  REQUIRE(run.results.size() == 1);
  CHECK(run.results[0].completed == 3);
  CHECK(run.results[0].denied == 1);
}

TEST_CASE("clients' clocks are spread evenly, and a skew moves all of them") {
  Phase skewed = bursts("skewed", {{0, 10, 10}});
  skewed.clock_spread_us = 200;
  Run run(plain_scenario({skewed}));
  PhasePlay phase(run.clock, run.scenario, 0, run.policy, run.target);
  run.service.answer = [&](std::size_t nth) {
    if (nth == 4) phase.skew_clocks(1'000);
    return decided(Outcome::allowed);
  };
  Meeting meeting;
  run.loop.run(phase.play(std::nullopt, meeting));
  std::vector<std::int64_t> offsets_us;
  for (const FakeService::Asked& asked : run.service.asked)
    offsets_us.push_back(asked.clock_offset_us);
  CHECK(offsets_us ==
        std::vector<std::int64_t>{-200, -100, 0, 100, 200, 800, 900, 1'000, 1'100, 1'200});
}

TEST_CASE("lockstep has a user for each request of the largest instant") {
  Phase phase = bursts("double", {{0, 3}, {50, 7}, {90, 2}});
  phase.lockstep = true;
  Run run(plain_scenario({phase}));
  run.play();
  REQUIRE(run.target.plans.size() == 1);
  CHECK(run.target.plans[0].users == 7);
  CHECK(run.target.plans[0].lockstep);
  CHECK(run.target.plans[0].gather == 1);
}

TEST_CASE("the shards of a phase send each request once, from the same client as the whole") {
  Phase phase = steady("crowd", 100, 1);
  phase.mix = {{0, 1}, {1, 3}};
  const auto sent = [&](std::uint32_t index, std::uint32_t count) {
    Run run(plain_scenario({phase}));
    run.scenario.shard = {index, count};
    run.play();
    std::vector<std::pair<std::int64_t, std::string>> requests;
    for (const Record& record : run.records())
      requests.emplace_back(record.intended_us, run.log().keys.at(record.key));
    return requests;
  };
  const auto whole = sent(1, 1);
  CHECK(whole.size() == 100);
  auto parts = sent(1, 3);
  CHECK(parts.size() == 34);
  for (const std::uint32_t index : {2U, 3U})
    std::ranges::copy(sent(index, 3), std::back_inserter(parts));
  std::ranges::sort(parts);
  CHECK(parts == whole);
}

TEST_CASE("a stopped phase ends with its last answer, and the rest of its plan is dropped") {
  Run run(plain_scenario({steady("long", 10, 100)}));
  run.service.answer = [&](std::size_t nth) {
    if (nth == 6) run.clock.stop();
    return decided(Outcome::allowed);
  };
  run.play();
  REQUIRE(run.results.size() == 1);
  CHECK(run.results[0].allowed == 7);
  CHECK(run.results[0].ended_us == kPhaseStartUs + 600'000);
  CHECK(run.results[0].offered == run.results[0].allowed + run.results[0].dropped);
}

TEST_CASE("a phase whose target gives no answer says why, and goes on") {
  Run run(plain_scenario({steady("lost", 10, 1)}));
  run.service.answer = [](std::size_t nth) {
    Decision decision = decided(nth == 3 ? Outcome::unknown : Outcome::allowed);
    if (nth == 3) decision.problem = "connection reset";
    return decision;
  };
  run.play();
  REQUIRE(run.results.size() == 1);
  CHECK(run.problems[0] == "connection reset");
  CHECK(run.results[0].unknown == 1);
  CHECK(run.results[0].allowed == 9);
}

TEST_CASE("`started` opens at time 0 and `ended` after the last answer") {
  Phase phase = bursts("one", {{0, 1}, {60, 1}});
  phase.anchor = Anchor::window_edge;
  Run run(plain_scenario({phase}));
  PhasePlay play(run.clock, run.scenario, 0, run.policy, run.target);
  CHECK_FALSE(play.started.is_open());
  std::vector<bool> started;
  run.service.answer = [&](std::size_t) {
    started.push_back(play.started.is_open() && !play.ended.is_open());
    return decided(Outcome::allowed);
  };
  Meeting meeting;
  run.loop.run(play.play(std::nullopt, meeting));
  CHECK(started == std::vector<bool>{true, true});
  CHECK(play.ended.is_open());
  CHECK(play.base_us() % (10 * kSecondUs) == 0);
}

TEST_CASE("on a wall clock, slow answers with one connection make requests late, then dropped") {
  Phase phase = steady("slow", 10, 2);
  phase.connections = 1;
  Scenario scenario = plain_scenario({phase});
  Loop loop;
  SteppedClock clock(loop, kPhaseStartUs);
  FakeService service{.clock = clock, .latency_us = 500'000};
  FakeTarget target(service);
  PolicyPlay policy(scenario.policies[0], Registry(), TargetKind::http, TimeSource::real);
  PhasePlay play(clock, scenario, 0, policy, target);
  Meeting meeting;
  loop.run(play.play(std::nullopt, meeting));
  const PhaseResult& result = play.result();
  CHECK(result.started_us == kPhaseStartUs + 20'000);  // time for all users to be ready
  CHECK(result.offered == 20);
  CHECK(result.allowed + result.dropped == 20);
  CHECK(result.late == result.allowed - 1);
  CHECK(result.dropped > 5);
  for (const Record& record : policy.log().records)
    CHECK(record.sent_us - record.intended_us <= 1'000'000);
}

TEST_CASE("on a wall clock, users enough for a quarter of a second are always on time") {
  Scenario scenario = plain_scenario({steady("fast", 100, 2)});
  Loop loop;
  SteppedClock clock(loop, kPhaseStartUs);
  FakeService service{.clock = clock, .latency_us = 250'000};
  FakeTarget target(service);
  PolicyPlay policy(scenario.policies[0], Registry(), TargetKind::http, TimeSource::real);
  PhasePlay play(clock, scenario, 0, policy, target);
  Meeting meeting;
  loop.run(play.play(std::nullopt, meeting));
  CHECK(play.result().allowed == 200);
  CHECK(play.result().late == 0);
  CHECK(play.result().dropped == 0);
  CHECK(target.plans.at(0).users == 34);
  CHECK(target.plans.at(0).at_once == 3);  // of 20 ms
}

TEST_CASE("so many connections are wanted before the first request as it needs at once") {
  const auto wanted = [](const Phase& phase) {
    Run run(plain_scenario({phase}));
    run.play();
    return run.target.plans.at(0).at_once;
  };
  CHECK(wanted(bursts("three", {{0, 1, 10}})) == 1);
  CHECK(wanted(steady("rare", 1, 1)) == 1);
  Phase crowd = phase_named("crowd", TrafficModel::users);
  crowd.users = 30;
  crowd.requests = 20;
  CHECK(wanted(crowd) == 20);
}
