// Arrivals are pure functions of their plan: no clock, no network, no sleep.
#include "arrivals/traffic.h"

#include <doctest/doctest.h>

#include <set>

using namespace rlctl;

namespace {

constexpr std::int64_t kStart = 1'795'000'000'000'000;

std::vector<Arrival> all_of(Traffic& traffic, std::int64_t now_us) {
  std::vector<Arrival> arrivals;
  while (const auto arrival = traffic.next({now_us})) arrivals.push_back(*arrival);
  return arrivals;
}

}  // namespace

TEST_CASE("steady traffic by count ends after that many") {
  SteadyPlan plan;
  plan.requests = 7;
  SteadyTraffic traffic(plan);
  CHECK(all_of(traffic, kStart).size() == 7);
  CHECK_FALSE(traffic.next({kStart + 1}));
}

TEST_CASE("steady traffic by time ends at its deadline, counted from the first request") {
  SteadyPlan plan;
  plan.duration_us = 1'000;
  SteadyTraffic traffic(plan);
  CHECK(traffic.next({kStart}));
  CHECK(traffic.next({kStart + 999}));
  CHECK_FALSE(traffic.next({kStart + 1'000}));
}

TEST_CASE("a closed loop leaves the time to the user, an open loop plans it") {
  SteadyPlan plan;
  plan.requests = 3;
  SteadyTraffic closed(plan);
  CHECK(closed.next({kStart})->intended_us == kNoTime);
  plan.rate_per_s = 1'000;
  SteadyTraffic open(plan);
  const auto arrivals = all_of(open, kStart);
  REQUIRE(arrivals.size() == 3);
  for (std::int64_t i = 0; i < 3; ++i)
    CHECK(arrivals[static_cast<std::size_t>(i)].intended_us == kStart + 1'000 * i);
}

TEST_CASE("an open loop that runs late still plans every request at its due time") {
  SteadyPlan plan;
  plan.duration_us = 1'000'000;
  plan.rate_per_s = 300;
  SteadyTraffic traffic(plan);
  std::size_t count = 0;
  std::int64_t last_us = 0;
  for (std::int64_t now = kStart; const auto arrival = traffic.next({now}); now += 10'000) {
    ++count;
    last_us = arrival->intended_us;
  }
  CHECK(count == 300);
  CHECK(last_us < kStart + 1'000'000);
}

TEST_CASE("the parts of steady traffic are together the whole") {
  SteadyPlan plan;
  plan.keys = 7;
  plan.requests = 100;
  plan.rate_per_s = 300;
  plan.start_us = kStart;
  const auto sent_in = [&](std::uint32_t parts) {
    std::multiset<std::pair<std::int64_t, std::uint32_t>> sent;
    for (std::uint32_t index = 1; index <= parts; ++index) {
      plan.shard = {index, parts};
      SteadyTraffic traffic(plan);
      for (const Arrival& arrival : all_of(traffic, kStart + index))
        sent.emplace(arrival.intended_us, arrival.key);
    }
    return sent;
  };
  CHECK(sent_in(1).size() == 100);
  CHECK(sent_in(2) == sent_in(1));
  CHECK(sent_in(3) == sent_in(1));
}

TEST_CASE("steady traffic uses all of its keys in turn, and no others") {
  SteadyPlan plan;
  plan.first_key = 100;
  plan.keys = 2'000;
  plan.requests = 2'000;
  SteadyTraffic traffic(plan);
  std::set<std::uint32_t> keys;
  for (const Arrival& arrival : all_of(traffic, kStart)) keys.insert(arrival.key);
  CHECK(keys.size() == 2'000);
  CHECK(*keys.begin() == 100);
  CHECK(*keys.rbegin() == 2'099);
}
