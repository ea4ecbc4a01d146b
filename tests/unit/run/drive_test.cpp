// One drive: what users send, when, and what is recorded.
#include "run/drive.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "arrivals/phase_traffic.h"
#include "unit/run/fakes.h"

using namespace rlctl;

namespace {

constexpr std::int64_t kStartUs = 1'000'000'000;
constexpr std::int64_t kMs = 1'000;

// Requests at these times after the start, for the keys in turn.
PlannedTraffic planned(const std::vector<std::int64_t>& after_us, std::uint32_t keys = 1,
                       std::optional<std::int64_t> patience_us = std::nullopt) {
  std::vector<Arrival> arrivals;
  for (const std::int64_t at_us : after_us) {
    Arrival arrival;
    arrival.intended_us = kStartUs + at_us;
    arrival.client = arrival.key = static_cast<std::uint32_t>(arrivals.size()) % keys;
    arrivals.push_back(arrival);
  }
  return PlannedTraffic(std::move(arrivals), patience_us);
}

// Each user sends at once, until so many requests are sent by all.
SteadyTraffic back_to_back(std::int64_t requests) {
  SteadyPlan plan;
  plan.requests = requests;
  return SteadyTraffic(plan);
}

struct Played {
  std::vector<Record> records;
  std::string problem;
  std::int64_t ended_us = 0;
};

struct Settings {
  std::size_t users = 1;
  OnLoss on_loss = OnLoss::stop;
  std::vector<std::int64_t> clock_offsets_us = {};
};

Task<> until_ended(Drive& drive) { co_await drive.ended.opened(); }

Played play(FakeService& service, Traffic& traffic, const Settings& settings = {}) {
  FakeUsers users(service, settings.users);
  const std::vector<Limiter*> limiters = users.limiters();
  const std::vector<std::string> keys{"red", "green"};
  const std::vector<Identity> clients{{"10.0.0.1", "", 0}, {"10.0.0.2", "", 1}};
  Played played;
  Drive drive{service.clock, traffic,        limiters,         keys,
              clients,       played.records, settings.on_loss, settings.clock_offsets_us};
  spawn_users(drive);
  service.clock.loop().run(until_ended(drive));
  CHECK(drive.users_playing == 0);
  played.problem = drive.problem;
  played.ended_us = service.clock.now_us();
  return played;
}

std::string text_of(std::int64_t at_us) {
  return at_us == kNoTime ? "never" : std::to_string(at_us - kStartUs);
}

// "intended/sent/received", in µs after the start.
std::string times_of(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records)
    text += text_of(record.intended_us) + "/" + text_of(record.sent_us) + "/" +
            text_of(record.received_us) + " ";
  return text;
}

bool same(const std::vector<Record>& a, const std::vector<Record>& b) {
  const auto parts = [](const Record& record) {
    return std::tuple(record.intended_us, record.sent_us, record.received_us, record.server_us,
                      record.key, record.who, record.outcome);
  };
  return std::ranges::equal(a, b, {}, parts, parts);
}

}  // namespace

TEST_CASE("on the virtual clock a decision takes no time, whatever the network does") {
  Loop loop;
  VirtualClock clock(loop, kStartUs);
  ShuffledNetwork network(loop, 3);
  FakeService service{.clock = clock, .network = &network};
  PlannedTraffic traffic = planned({0, 5, 5, 60'000'000});
  const Played played = play(service, traffic);
  CHECK(times_of(played.records) == "0/0/0 5/5/5 5/5/5 60000000/60000000/60000000 ");
  CHECK(played.records.at(3).server_us == kStartUs + 60'000'000);
  CHECK(played.ended_us == kStartUs + 60'000'000);
}

TEST_CASE("virtual times replace those of the limiter, but a missing answer stays missing") {
  Loop loop;
  VirtualClock clock(loop, kStartUs);
  FakeService service{.clock = clock};
  service.answer = [](std::size_t nth) {
    Decision decision = decided(nth == 0 ? Outcome::unknown : Outcome::denied);
    decision.decided_us = 1;
    return decision;
  };
  PlannedTraffic traffic = planned({7, 9});
  const Played played = play(service, traffic, {.on_loss = OnLoss::go_on});
  REQUIRE(played.records.size() == 2);
  CHECK(played.records[0].received_us == kNoTime);
  CHECK(played.records[0].server_us == 1);
  CHECK(played.records[1].server_us == played.records[1].sent_us);
}

TEST_CASE("the network's order of answers has no influence on virtual time") {
  std::vector<Record> first;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    CAPTURE(seed);
    Loop loop;
    VirtualClock clock(loop, kStartUs);
    ShuffledNetwork network(loop, seed);
    FakeService service{.clock = clock, .network = &network};
    service.answer = [](std::size_t nth) {
      return decided(nth % 3 == 0 ? Outcome::denied : Outcome::allowed);
    };
    PlannedTraffic traffic = planned({0, 0, 0, 4, 4, 10, 10, 10, 10, 11}, 2);
    const Played played = play(service, traffic, {.users = 4});
    REQUIRE(played.records.size() == 10);
    if (first.empty()) first = played.records;
    CHECK(same(played.records, first));
  }
}

TEST_CASE("in an open loop, a slow answer does not delay the plan, only the request") {
  Loop loop;
  SteppedClock clock(loop, kStartUs);
  FakeService service{.clock = clock, .latency_us = 25};
  PlannedTraffic traffic = planned({0, 10, 20, 100});
  const Played played = play(service, traffic);
  CHECK(times_of(played.records) == "0/0/25 10/25/50 20/50/75 100/100/125 ");
  CHECK(sent_late(played.records.at(2), 29));
  CHECK_FALSE(sent_late(played.records.at(2), 30));
}

TEST_CASE("with enough users an open loop is on time, however slow the answers are") {
  Loop loop;
  SteppedClock clock(loop, kStartUs);
  FakeService service{.clock = clock, .latency_us = 25};
  PlannedTraffic traffic = planned({0, 10, 20, 100});
  const Played played = play(service, traffic, {.users = 3});
  CHECK(times_of(played.records) == "0/0/25 10/10/35 20/20/45 100/100/125 ");
}

TEST_CASE("in a closed loop, a slow answer delays the next request, and nothing is late") {
  Loop loop;
  SteppedClock clock(loop, kStartUs);
  FakeService service{.clock = clock, .latency_us = 25};
  SteadyTraffic traffic = back_to_back(5);
  const Played played = play(service, traffic, {.users = 2});
  CHECK(times_of(played.records) == "0/0/25 0/0/25 25/25/50 25/25/50 50/50/75 ");
}

TEST_CASE("think time counts from the answer") {
  Loop loop;
  SteppedClock clock(loop, kStartUs);
  FakeService service{.clock = clock, .latency_us = 25};
  const std::vector<IdentitySpec> identities(1);
  Phase phase;
  phase.mix = {{0, 1}};
  const Clients clients = clients_of(identities, phase);
  ClosedTraffic traffic({.start_us = kStartUs + 5, .requests = 3, .think_us = 40},
                        RequestPicker(identities, phase, clients, 1));
  CHECK(times_of(play(service, traffic).records) == "5/5/30 70/70/95 135/135/160 ");
}

TEST_CASE("records are in the order of completion, and keep the key they were for") {
  Loop loop;
  SteppedClock clock(loop, kStartUs);
  ShuffledNetwork network(loop, 2);
  FakeService service{.clock = clock, .network = &network};
  PlannedTraffic traffic = planned({0, 0, 0, 0, 0, 0}, 2);
  const Played played = play(service, traffic, {.users = 6});
  REQUIRE(played.records.size() == 6);
  CHECK(network.most_under_way() == 6);
  CHECK(std::ranges::is_sorted(played.records, {}, &Record::received_us));
  CHECK(std::ranges::count(played.records, 1U, &Record::key) == 3);
}

TEST_CASE("an attempt names its key, its client, and how far the client's clock is ahead") {
  Loop loop;
  VirtualClock clock(loop, kStartUs);
  FakeService service{.clock = clock};
  PlannedTraffic traffic = planned({0, 1, 2, 3}, 2);
  play(service, traffic, {.users = 2, .clock_offsets_us = {-70}});
  REQUIRE(service.asked.size() == 4);
  CHECK(service.asked[0].key == "red");
  CHECK(service.asked[1].key == "green");
  CHECK(service.asked[1].ip == "10.0.0.2");
  for (const FakeService::Asked& asked : service.asked)
    CHECK(asked.clock_offset_us == (asked.user == 0 ? -70 : 0));
}

TEST_CASE("a user that gets no answer stops for good, and its requests go to the others") {
  Loop loop;
  VirtualClock clock(loop, kStartUs);
  FakeService service{.clock = clock};
  service.answer = [](std::size_t nth) {
    Decision decision = decided(nth < 2 ? Outcome::unknown : Outcome::allowed);
    if (nth < 2) decision.problem = nth == 0 ? "connection reset" : "timed out";
    return decision;
  };
  PlannedTraffic traffic = planned({0, 10, 20, 30, 40});
  const Played played = play(service, traffic, {.users = 3});
  CHECK(played.records.size() == 5);
  CHECK(played.problem == "connection reset");
  for (std::size_t i = 2; i < 5; ++i) CHECK(service.asked.at(i).user == 2);
  CHECK(traffic.dropped() == 0);
}

TEST_CASE("traffic is left over if every user has stopped") {
  Loop loop;
  VirtualClock clock(loop, kStartUs);
  FakeService service{.clock = clock};
  service.answer = [](std::size_t) { return decided(Outcome::failed); };
  PlannedTraffic traffic = planned({0, 10, 20, 30, 40});
  const Played played = play(service, traffic, {.users = 2});
  CHECK(played.records.size() == 2);
  CHECK(traffic.dropped() == 3);
}

TEST_CASE("a user that goes on after a loss waits 20 ms first") {
  Loop loop;
  VirtualClock clock(loop, kStartUs);
  FakeService service{.clock = clock};
  service.answer = [](std::size_t nth) {
    return decided(nth == 1 ? Outcome::unknown : Outcome::allowed);
  };
  SteadyTraffic traffic = back_to_back(4);
  const Played played = play(service, traffic, {.on_loss = OnLoss::go_on});
  CHECK(times_of(played.records) == "0/0/0 0/0/never 20000/20000/20000 20000/20000/20000 ");
}

TEST_CASE("a request that no user could send in time is dropped and leaves no record") {
  Loop loop;
  SteppedClock clock(loop, kStartUs);
  FakeService service{.clock = clock, .latency_us = 50 * kMs};
  PlannedTraffic traffic = planned({0, 10 * kMs, 20 * kMs, 45 * kMs, 200 * kMs}, 1, 20 * kMs);
  const Played played = play(service, traffic);
  CHECK(times_of(played.records) == "0/0/50000 45000/50000/100000 200000/200000/250000 ");
  CHECK(traffic.dropped() == 2);
}

TEST_CASE("a stopped run sends nothing more, but records the answers that are under way") {
  Loop loop;
  SteppedClock clock(loop, kStartUs);
  FakeService service{.clock = clock, .latency_us = 25};
  service.answer = [&](std::size_t nth) {
    if (nth == 2) clock.stop();
    return decided(Outcome::allowed);
  };
  PlannedTraffic traffic = planned({0, 10, 20, 30, 5'000'000});
  const Played played = play(service, traffic, {.users = 5});
  CHECK(times_of(played.records) == "0/0/25 10/10/35 20/20/45 ");
  CHECK(played.ended_us == kStartUs + 45);
}

TEST_CASE("a stop on the virtual clock ends every user, also those that wait") {
  Loop loop;
  VirtualClock clock(loop, kStartUs);
  FakeService service{.clock = clock};
  service.answer = [&](std::size_t nth) {
    if (nth == 1) clock.stop();
    return decided(Outcome::allowed);
  };
  PlannedTraffic traffic = planned({0, 10, 20, 30, 40});
  CHECK(times_of(play(service, traffic, {.users = 3}).records) == "0/0/0 10/10/10 ");
}

TEST_CASE("two drives on one virtual clock interleave by time") {
  Loop loop;
  VirtualClock clock(loop, kStartUs);
  FakeService service{.clock = clock};
  FakeUsers users(service, 2);
  const std::vector<Limiter*> limiters = users.limiters();
  const std::vector<std::string> odd_key{"odd"};
  const std::vector<std::string> even_key{"even"};
  PlannedTraffic odd = planned({1, 3, 5});
  PlannedTraffic even = planned({0, 2, 4});
  std::vector<Record> records;
  Drive one{clock, odd, std::span(limiters).first(1), odd_key, {}, records};
  Drive two{clock, even, std::span(limiters).last(1), even_key, {}, records};
  {
    const Participation all(clock);
    spawn_users(one);
    spawn_users(two);
  }
  loop.run(until_ended(one));
  loop.run(until_ended(two));
  CHECK(times_of(records) == "0/0/0 1/1/1 2/2/2 3/3/3 4/4/4 5/5/5 ");
  REQUIRE(service.asked.size() == 6);
  CHECK(service.asked[0].key == "even");
  CHECK(service.asked[5].key == "odd");
}

TEST_CASE("a record keeps what was planned and what was reported") {
  Arrival arrival;
  arrival.key = 3;
  arrival.who = 2;
  arrival.cost = 5;
  arrival.phase = 1;
  Decision decision = decided(Outcome::denied);
  decision.sent_us = 11;
  decision.received_us = 14;
  decision.decided_us = 12;
  decision.retry_after_us = 900;
  decision.remaining = std::int64_t{1} << 40;
  decision.reset_us = 7'999;
  decision.status = 429;
  const Record record = make_record(arrival, decision, 10);
  CHECK(record.intended_us == 10);  // a closed loop intends to send when a user is free
  CHECK(record.sent_us == 11);
  CHECK(record.received_us == 14);
  CHECK(record.server_us == 12);
  CHECK(record.retry_after_us == 900);
  CHECK(record.remaining == INT32_MAX);
  CHECK(record.reset_ms == 7);
  CHECK(record.status == 429);
  CHECK(record.key == 3);
  CHECK(record.who == 2);
  CHECK(record.cost == 5);
  CHECK(record.phase == 1);
  CHECK(record.outcome == Outcome::denied);
  arrival.intended_us = 4;
  CHECK(make_record(arrival, {}, 10).intended_us == 4);
  CHECK(make_record(arrival, {}, 10).reset_ms == kNoReset);
}
