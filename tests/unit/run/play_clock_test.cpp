// The order of events on the virtual clock, without limiter and traffic.
#include "run/play_clock.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/units.h"
#include "io/clock.h"
#include "unit/run/fakes.h"

using namespace rlctl;

namespace {

constexpr std::int64_t kClockStartUs = 1'000'000;

struct Event {
  char who;
  std::int64_t at_us;
  bool operator==(const Event&) const = default;
};

std::string text_of(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events)
    text += std::string(1, event.who) + "+" + std::to_string(event.at_us - kClockStartUs) + " ";
  return text;
}

// Waits for each of the times (after the start) in turn, and notes when it goes on.
Task<> appear(PlayClock& clock, char who, std::vector<std::int64_t> after_us,
              std::vector<Event>& events) {
  const Participation participation(clock);
  for (const std::int64_t wanted_us : after_us) {
    co_await clock.until(kClockStartUs + wanted_us);
    events.push_back({who, clock.now_us()});
  }
}

// Takes part, but is busy with the network instead of waiting for a time.
Task<> ask(PlayClock& clock, ShuffledNetwork& network, char who, int times,
           std::vector<Event>& events) {
  const Participation participation(clock);
  for (; times > 0; --times) {
    co_await network.round_trip();
    events.push_back({who, clock.now_us()});
  }
}

struct Cast {
  char who;
  std::vector<std::int64_t> after_us;
};

std::vector<Event> played(PlayClock& clock, const std::vector<Cast>& cast) {
  std::vector<Event> events;
  {
    const Participation all(clock);  // nobody starts before all are there
    for (const Cast& one : cast) clock.loop().spawn(appear(clock, one.who, one.after_us, events));
  }
  clock.loop().run(clock.loop().join());
  return events;
}

std::string played_virtually(const std::vector<Cast>& cast, bool together = false) {
  Loop loop;
  VirtualClock clock(loop, kClockStartUs, together);
  return text_of(played(clock, cast));
}

}  // namespace

TEST_CASE("virtual time jumps to the next appointment, and hours take no time") {
  const std::int64_t began_us = now_us();
  CHECK(played_virtually({{'a', {kHourUs, 1'000 * kHourUs}}}) == "a+3600000000 a+3600000000000 ");
  CHECK(now_us() - began_us < 1'000'000);
}

TEST_CASE("virtual appointments come in the order of their times, whoever made them first") {
  CHECK(played_virtually({{'a', {30, 40}}, {'b', {10, 50}}, {'c', {20}}}) ==
        "b+10 c+20 a+30 a+40 b+50 ");
}

TEST_CASE("virtual appointments at one time come in the order in which they were made") {
  CHECK(played_virtually({{'a', {10, 20}}, {'b', {10, 20}}, {'c', {10, 20}}}) ==
        "a+10 b+10 c+10 a+20 b+20 c+20 ");
  // b reaches 20 before a does, because it had to wait for 10 first and a for 15
  CHECK(played_virtually({{'a', {15, 20}}, {'b', {10, 20}}}) == "b+10 a+15 b+20 a+20 ");
}

TEST_CASE("virtual time never goes back, and a past appointment still lets others go first") {
  CHECK(played_virtually({{'a', {50, 10}}, {'b', {50}}}) == "a+50 b+50 a+50 ");
}

TEST_CASE("virtual time stands still while a participant is busy") {
  Loop loop;
  VirtualClock clock(loop, kClockStartUs);
  ShuffledNetwork network(loop, 1);
  std::vector<Event> events;
  {
    const Participation all(clock);
    loop.spawn(appear(clock, 'w', {10}, events));
    loop.spawn(ask(clock, network, 'n', 3, events));
  }
  loop.run(loop.join());
  CHECK(text_of(events) == "n+0 n+0 n+0 w+10 ");
}

TEST_CASE("a participant that ends early does not hold the virtual clock") {
  CHECK(played_virtually({{'a', {}}, {'b', {10, 20}}, {'c', {5}}}) == "c+5 b+10 b+20 ");
}

TEST_CASE("users of one instant go one at a time, or together if that is wanted") {
  for (const bool together : {false, true}) {
    CAPTURE(together);
    Loop loop;
    VirtualClock clock(loop, kClockStartUs, together);
    ShuffledNetwork network(loop, 7);
    std::vector<Event> events;
    const auto user = [](PlayClock& time, ShuffledNetwork& net, std::int64_t at_us) -> Task<> {
      const Participation participation(time);
      co_await time.until(at_us);
      co_await net.round_trip();
    };
    {
      const Participation all(clock);
      for (int i = 0; i < 8; ++i) loop.spawn(user(clock, network, kClockStartUs + 10));
      loop.spawn(user(clock, network, kClockStartUs + 11));
    }
    loop.run(loop.join());
    CHECK(network.most_under_way() == (together ? 8 : 1));
    CHECK(clock.now_us() == kClockStartUs + 11);
  }
}

TEST_CASE("users together at one time are resumed in the order of their appointments") {
  CHECK(played_virtually({{'a', {10, 20}}, {'b', {20}}, {'c', {10}}}, true) ==
        "a+10 c+10 b+20 a+20 ");
}

TEST_CASE("the virtual clock needs no stack per user, if many wait or end at one instant") {
  std::vector<Cast> cast(20'000, Cast{'u', {10, 20}});
  Loop loop;
  VirtualClock clock(loop, kClockStartUs);
  CHECK(played(clock, cast).size() == 40'000);
  CHECK(clock.now_us() == kClockStartUs + 20);
}

TEST_CASE("a stopped virtual clock gives no more appointments, those made are kept") {
  Loop loop;
  VirtualClock clock(loop, kClockStartUs);
  std::vector<Event> events;
  const auto stopper = [](PlayClock& time) -> Task<> {
    const Participation participation(time);
    co_await time.until(kClockStartUs + 15);
    time.stop();
  };
  {
    const Participation all(clock);
    loop.spawn(appear(clock, 'a', {10, 20, 30, 40}, events));
    loop.spawn(stopper(clock));
  }
  loop.run(loop.join());
  CHECK(clock.stopped());
  CHECK(text_of(events) == "a+10 a+20 a+20 a+20 ");
}

TEST_CASE("a wall clock returns at its time, and soon after a stop") {
  Loop loop(Loop::Timers::precise);
  WallClock clock(loop);
  CHECK_FALSE(clock.is_virtual());
  const std::int64_t due_us = now_us() + 3'000;
  loop.run(clock.until(due_us));
  CHECK(clock.now_us() >= due_us);
  const auto stopper = [](Loop& its, PlayClock& time) -> Task<> {
    co_await its.until(now_us() + 1'000);
    time.stop();
  };
  loop.spawn(stopper(loop, clock));
  loop.run(clock.until(now_us() + kHourUs));
  CHECK(clock.stopped());
  CHECK(clock.now_us() < due_us + 60'000'000);
}
