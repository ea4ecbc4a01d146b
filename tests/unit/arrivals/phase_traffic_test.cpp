// Schedules are pure functions of scenario and seed.
#include "arrivals/phase_traffic.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/units.h"
#include "scenario/scenario.h"

using namespace rlctl;

namespace {

Scenario with_clients(std::int64_t good, std::int64_t bad_weight) {
  Scenario scenario;
  IdentitySpec many;
  many.name = "good";
  many.ip = "10.0.0.0/16";
  many.count = good;
  IdentitySpec one;
  one.name = "bad";
  one.ip = "203.0.113.7";
  scenario.identities = {many, one};
  Phase phase;
  phase.mix = {{0, 100 - bad_weight}, {1, bad_weight}};
  scenario.phases = {phase};
  return scenario;
}

RequestPicker picker_of(const Scenario& scenario, std::uint64_t seed) {
  return {scenario.identities, scenario.phases[0],
          clients_of(scenario.identities, scenario.phases[0]), seed};
}

Record answered(const Arrival& arrival, Outcome outcome, std::int64_t retry_after_us = kNoTime) {
  Record record;
  record.intended_us = arrival.intended_us;
  record.outcome = outcome;
  record.retry_after_us = retry_after_us;
  return record;
}

}  // namespace

TEST_CASE("an even rate sends its number of requests, evenly, from 0 on") {
  const auto times = plan_stages({{{30, 60 * kSecondUs}, {30, 60 * kSecondUs}, 300 * kSecondUs}},
                                 ArrivalPattern::even, 1);
  REQUIRE(times.size() == 150);
  for (std::size_t i = 0; i < times.size(); ++i)
    CHECK(times[i] == doctest::Approx(static_cast<double>(i) * 2e6).epsilon(1e-6));
}

TEST_CASE("a ramp has its mean rate and increases") {
  const auto times =
      plan_stages({{{0, kSecondUs}, {100, kSecondUs}, 10 * kSecondUs}}, ArrivalPattern::even, 1);
  CHECK(times.size() == 500);
  const auto half = std::ranges::count_if(times, [](auto us) { return us < 5 * kSecondUs; });
  CHECK(half == 125);
  CHECK(std::ranges::is_sorted(times));
}

TEST_CASE("a poisson schedule has its rate, its seed, and varying gaps") {
  const std::vector<RateStage> stages{{{200, kSecondUs}, {200, kSecondUs}, 100 * kSecondUs}};
  const auto times = plan_stages(stages, ArrivalPattern::poisson, 7);
  CHECK(times.size() > 19'400);
  CHECK(times.size() < 20'600);
  CHECK(times == plan_stages(stages, ArrivalPattern::poisson, 7));
  CHECK(times != plan_stages(stages, ArrivalPattern::poisson, 8));
  CHECK(std::ranges::is_sorted(times));
}

TEST_CASE("stages follow one another without a gap") {
  const auto times = plan_stages({{{3, kSecondUs}, {3, kSecondUs}, kSecondUs / 2},
                                  {{3, kSecondUs}, {3, kSecondUs}, kSecondUs / 2}},
                                 ArrivalPattern::even, 1);
  CHECK(times.size() == 3);
}

TEST_CASE("kinds are picked by weight, clients by the kind's own order") {
  const Scenario scenario = with_clients(50, 20);
  const Clients clients = clients_of(scenario.identities, scenario.phases[0]);
  RequestPicker picker = picker_of(scenario, 3);
  CHECK(clients.identities.size() == 51);
  std::int64_t bad = 0;
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint32_t client = picker.next().client;
    seen.insert(client);
    bad += clients.kinds[client] == 1;
  }
  CHECK(bad > 1'800);
  CHECK(bad < 2'200);
  CHECK(seen.size() == 51);
}

TEST_CASE("a client that waits by Retry-After comes back at the stated time") {
  const Scenario scenario = with_clients(1, 1);
  DrainTraffic traffic({0, 1, 1, {OnDeny::retry_after, 60 * kSecondUs}}, picker_of(scenario, 1), 1);
  const auto first = traffic.next({100, 0, nullptr});
  REQUIRE(first);
  CHECK(first->intended_us == 100);
  const Record denied = answered(*first, Outcome::denied, 5 * kSecondUs);
  CHECK(traffic.waiting(200).count == 0);
  const auto second = traffic.next({200, 0, &denied});
  REQUIRE(second);
  CHECK(second->intended_us == 200 + 5 * kSecondUs);
  CHECK(traffic.waiting(200).count == 1);
  CHECK(traffic.waiting(200).next_us == second->intended_us);
  CHECK(traffic.waiting(200).told);
  CHECK(traffic.waiting(second->intended_us).count == 0);
  const Record allowed = answered(*second, Outcome::allowed);
  CHECK_FALSE(traffic.next({6 * kSecondUs, 0, &allowed}));
  CHECK(traffic.completed() == 1);
  CHECK(traffic.lost() == 0);
}

TEST_CASE("a backoff grows randomly and never exceeds a window") {
  const Scenario scenario = with_clients(1, 1);
  DrainTraffic traffic({0, 1, 1, {OnDeny::backoff, kSecondUs}}, picker_of(scenario, 1), 1);
  auto arrival = traffic.next({0, 0, nullptr});
  std::int64_t now_us = 0;
  for (int i = 0; i < 50; ++i) {
    const Record denied = answered(*arrival, Outcome::denied);
    arrival = traffic.next({now_us, 0, &denied});
    REQUIRE(arrival);
    CHECK(arrival->intended_us > now_us);
    CHECK(arrival->intended_us <= now_us + kSecondUs);
    now_us = arrival->intended_us;
  }
  CHECK(now_us > 5 * kSecondUs);
}

TEST_CASE("an item that is given up or gets no answer is lost, not finished") {
  const Scenario scenario = with_clients(1, 1);
  DrainTraffic traffic({0, 3, 1, {OnDeny::drop, kSecondUs}}, picker_of(scenario, 1), 1);
  auto arrival = traffic.next({0, 0, nullptr});
  for (const Outcome outcome : {Outcome::denied, Outcome::unknown, Outcome::allowed}) {
    REQUIRE(arrival);
    const Record record = answered(*arrival, outcome);
    arrival = traffic.next({1, 0, &record});
  }
  CHECK_FALSE(arrival);
  CHECK(traffic.completed() == 1);
  CHECK(traffic.lost() == 2);
}

TEST_CASE("a closed loop pauses between answers, and ends by time or by number") {
  const Scenario scenario = with_clients(10, 1);
  ClosedTraffic by_number({0, 0, 3, 500}, picker_of(scenario, 1));
  CHECK(by_number.next({0, 0, nullptr}));
  const Record record;
  const auto second = by_number.next({1'000, 0, &record});
  REQUIRE(second);
  CHECK(second->intended_us == 1'500);
  CHECK(by_number.next({2'000, 1, nullptr}));
  CHECK_FALSE(by_number.next({3'000, 0, &record}));
  ClosedTraffic by_time({1'000, 1'000, 0, 0}, picker_of(scenario, 1));
  CHECK(by_time.next({0, 0, nullptr})->intended_us == 1'000);
  CHECK_FALSE(by_time.next({2'000, 0, &record}));
}

namespace {

std::vector<Arrival> at(const std::vector<std::int64_t>& times_us) {
  std::vector<Arrival> arrivals;
  for (const std::int64_t at_us : times_us) {
    arrivals.emplace_back();
    arrivals.back().intended_us = at_us;
    arrivals.back().client = static_cast<std::uint32_t>(arrivals.size());
  }
  return arrivals;
}

}  // namespace

TEST_CASE("open loop: a denied request comes back in its turn, and others are sent meanwhile") {
  PlannedTraffic planned(at({0, 1'000, 3'000}));
  RetryingTraffic traffic(planned, {OnDeny::retry_after, kSecondUs, 1}, RetryingTraffic::Loop::open,
                          1);
  std::string order;
  auto arrival = traffic.next({0, 0, nullptr});
  while (arrival) {
    order += std::to_string(arrival->client) + "@" + std::to_string(arrival->intended_us) + " ";
    const bool first = arrival->client == 1;
    const Record record =
        first ? answered(*arrival, Outcome::denied, 2'000) : answered(*arrival, Outcome::allowed);
    arrival = traffic.next({arrival->intended_us, 0, &record});
  }
  // The first one is retried once, after 2 ms.
  CHECK(order == "1@0 2@1000 1@2000 3@3000 ");
}

TEST_CASE("retries that wait are counted, taken by a user or not, and when the next is due") {
  PlannedTraffic planned(at({0, 1'000, 2'000, 3'000}));
  RetryingTraffic traffic(planned, {OnDeny::retry_after, kSecondUs}, RetryingTraffic::Loop::open,
                          1);
  auto arrival = traffic.next({0, 0, nullptr});
  REQUIRE(arrival);
  CHECK(traffic.next({0, 1, nullptr})->intended_us == 1'000);
  CHECK(traffic.waiting(500).count == 0);  // what is planned is no retry
  for (int i = 0; i < 3; ++i) {
    const Record denied = answered(*arrival, Outcome::denied, 50'000 + i * 1'000);
    arrival = traffic.next({arrival->intended_us, 0, &denied});
    REQUIRE(arrival);
  }
  const WaitingRetries waiting = traffic.waiting(4'000);
  CHECK(waiting.count == 3);
  CHECK(waiting.next_us == 50'000);
  CHECK(waiting.told);
  CHECK(traffic.waiting(60'000).count == 0);
  const Record untold = answered(*arrival, Outcome::denied);
  traffic.next({60'000, 1, &untold});
  CHECK(traffic.waiting(60'000).count == 1);
  CHECK_FALSE(traffic.waiting(60'000).told);
}

TEST_CASE("closed loop: a user retries its own request before its next one, until the end") {
  const Scenario scenario = with_clients(10, 1);
  ClosedTraffic closed({0, 10'000, 0, 500}, picker_of(scenario, 1));
  RetryingTraffic traffic(closed, {OnDeny::retry_after, kSecondUs, 0, 10'000},
                          RetryingTraffic::Loop::closed, 1);
  const auto first = traffic.next({0, 0, nullptr});
  REQUIRE(first);
  const Record denied = answered(*first, Outcome::denied, 7'000);
  const auto again = traffic.next({100, 0, &denied});
  REQUIRE(again);
  CHECK(again->client == first->client);
  CHECK(again->intended_us == 7'100);
  // Another wait would end after the phase.
  CHECK(traffic.next({7'200, 0, &denied})->intended_us == 7'700);
}

TEST_CASE("a rate for a time gives exactly so many requests") {
  for (const auto& [count, seconds] : {std::pair{20, 5}, {60, 3}, {3, 7}, {10, 4}}) {
    const Rate rate{count, kSecondUs};
    const RateStage stage{rate, rate, seconds * kSecondUs};
    CHECK(plan_stages({stage}, ArrivalPattern::even, 1).size() ==
          static_cast<std::size_t>(count * seconds));
  }
}
