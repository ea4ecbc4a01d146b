// Random schedules beyond an exhaustive search, and the bound on what they miss.
#include "run/explore/pct.h"

#include <doctest/doctest.h>

#include <cmath>

#include "run/explore/shorten.h"
#include "run/explore/trace.h"
#include "tools/read_then_act.h"

namespace rlctl {
namespace {

constexpr std::int64_t kPctStart = 2'000'000'000'000'000;

struct Race {
  Race(std::size_t clients, std::int64_t limit) : program(limit, 1) {
    rules.clients = clients;
    rules.contract = {Rule{.limit = limit, .window_us = 60'000'000}};
    rules.start_us = kPctStart;
    rules.clients_alike = true;
  }

  std::unique_ptr<ExploreSpace> space() {
    return std::make_unique<ExploreSpace>(rules, program, RedisModel(rules.clients, kPctStart));
  }

  PctSearch search(const PctPlan& plan) {
    PctSearch search([this] { return space(); }, plan);
    search.run([](const ExploreSpace& space,
                  ExploreSpace::State state) { return space.breaks_contract(state) ? 1u : 0u; },
               [](std::uint64_t) {});
    return search;
  }

  test::ReadThenAct program;
  ExploreRules rules;
};

}  // namespace

TEST_CASE("a race of 16 clients is found at random, again with the same seed, and replayed") {
  Race race(16, 15);
  const PctPlan plan{1'000, 3, 7, 1};
  const PctSearch first = race.search(plan);
  REQUIRE(first.found(0));
  CHECK(first.runs().runs < 1'000);  // it stops there
  const std::string schedule = format_schedule(first.found(0)->choices);
  CHECK(format_schedule(race.search(plan).found(0)->choices) == schedule);
  const auto space = race.space();
  CHECK(space->breaks_contract(walk_schedule(*space, parse_schedule(schedule)).end));
}

TEST_CASE("a schedule that was found at random is shortened to the clients that it needs") {
  Race race(16, 2);
  const auto breaks = [&](ExploreSpace& space, ExploreSpace::State state) {
    return space.breaks_contract(state);
  };
  const PctSearch search = race.search({1'000, 3, 7, 1});
  REQUIRE(search.found(0));
  const auto space = race.space();
  const std::vector<Choice> choices =
      shortened(*space, search.found(0)->choices,
                [&](ExploreSpace::State state) { return breaks(*space, state); });
  CHECK(choices.size() == 9);  // three clients of three steps
  CHECK(breaks(*space, walk_schedule(*space, choices).end));
}

TEST_CASE("one run finds a race as often as its depth promises") {
  // To read twice before counting takes two orderings: depth 2.
  Race race(2, 1);
  const auto share_found = [&](int depth) {
    int found = 0;
    constexpr int kSearches = 400;
    for (int seed = 0; seed < kSearches; ++seed) {
      const PctSearch search = race.search({30, depth, static_cast<std::uint64_t>(seed), 0});
      CHECK(search.runs().threads == 2);
      CHECK(search.runs().steps == 7);  // 6 and a quarter
      found += search.found(0) ? 1 : 0;
    }
    return static_cast<double>(found) / kSearches;
  };
  CHECK(share_found(1) == 0);
  // 14 or 15 of the 30 runs have depth 2, and each finds it with at least 1 / (2 * 7).
  CHECK(share_found(2) > 1 - std::pow(1 - 1.0 / 14, 14));
}

TEST_CASE("events are threads, and a key that can expire is one") {
  Race race(3, 2);
  race.rules.events.crash = race.rules.events.expiry = true;
  race.rules.events.time_steps_us = {1'000};
  const RandomRuns runs = race.search({300, 2, 1, 0}).runs();
  CHECK(runs.threads == 3 + 3 + 1 + 1);
  CHECK(runs.runs == 300);
  CHECK(runs.counted.at(0) + runs.counted.at(1) < 300);  // not those before the longest run
  CHECK(runs.counted.at(0) + runs.counted.at(1) > 200);
}

TEST_CASE("what was missed is bounded by n, k and the runs") {
  const RandomRuns runs{20'000, 1, 2, 16, 100, {10'000, 10'000}};
  CHECK(runs.log10_missed(1) == doctest::Approx(10'000 * std::log10(15.0 / 16)));
  CHECK(runs.log10_missed(2) == doctest::Approx(10'000 * std::log10(1599.0 / 1600)));
}

}  // namespace rlctl
