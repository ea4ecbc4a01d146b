#include "io/redis/load_pacer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace rlctl;

TEST_CASE("after a step of 2 ms at 1 % the next comes 200 ms later") {
  LoadPacer pacer(0.01);
  CHECK(pacer.next_us() == 0);
  pacer.add(1'000'000, 2'000);
  CHECK(pacer.next_us() == 1'200'000);
  CHECK(pacer.share_at(1'050'000) == doctest::Approx(0.01));
}

TEST_CASE("a client that obeys the pacer never exceeds its share") {
  LoadPacer pacer(0.01);
  std::int64_t now = 5'000'000, cost_us = 0;
  const std::int64_t began = now;
  for (int i = 0; i < 1'000; ++i) {
    const std::int64_t cost = 100 + 37 * (i % 90);
    pacer.add(now, cost);
    cost_us += cost;
    now = pacer.next_us();
    CHECK(pacer.share_at(now) <= 0.0105);
  }
  CHECK(static_cast<double>(cost_us) / static_cast<double>(now - began) <= 0.01001);
}

TEST_CASE("steps before their turn are a debt that later steps pay") {
  LoadPacer pacer(0.1);
  pacer.add(0, 1'000);
  pacer.add(1'000, 1'000);
  CHECK(pacer.next_us() == 20'000);
}

TEST_CASE("load from long ago does not count") {
  LoadPacer pacer(0.01);
  pacer.add(1'000'000, 50'000);
  CHECK(pacer.share_at(2'000'000) > 0);
  CHECK(pacer.share_at(60'000'000) == 0);
}

namespace {

struct Played {
  std::int64_t began_us = 0;
  std::int64_t cost_us = 0;
};

// Steps one after the other, each as soon as it may begin: a server on a clock of its own.
std::vector<Played> play(LoadPacer& pacer, std::int64_t began_us, int steps) {
  std::vector<Played> played;
  std::int64_t now_us = began_us;
  for (int i = 0; i < steps; ++i) {
    now_us = std::max(now_us, pacer.next_us());
    const std::int64_t cost_us = 500 + 37 * (i % 90);
    played.push_back({now_us, cost_us});
    now_us += cost_us;
    pacer.add(now_us, cost_us);
  }
  return played;
}

}  // namespace

TEST_CASE("what a minute allows is there at once, and after that the share holds") {
  LoadPacer pacer(0.05, kLoadAheadUs);
  const std::vector<Played> steps = play(pacer, 5'000'000, 20'000);
  std::int64_t at_once_us = 0, all_us = 0;
  bool waited = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    waited = waited || (i > 0 && steps[i].began_us > steps[i - 1].began_us + steps[i - 1].cost_us);
    if (!waited) at_once_us += steps[i].cost_us;
    all_us += steps[i].cost_us;
  }
  // 3 s, and what the share gives in these 3 s.
  CHECK(std::abs(at_once_us - 3'157'900) < 5'000);
  const std::int64_t elapsed_us = steps.back().began_us - steps.front().began_us;
  CHECK(std::abs(static_cast<double>(all_us) - 0.05 * static_cast<double>(elapsed_us) - 3e6) < 5e3);
  CHECK(pacer.cost_us() == all_us);
}

TEST_CASE("in any time the steps take no more than the share of it, a minute's, and one step") {
  LoadPacer pacer(0.05, kLoadAheadUs);
  std::vector<Played> steps = play(pacer, 5'000'000, 3'000);
  for (const Played& step : play(pacer, 400'000'000, 3'000)) steps.push_back(step);  // it rested
  double most_above_us = 0;
  for (std::size_t from = 0; from < steps.size(); from += 50) {
    std::int64_t cost_us = 0;
    for (std::size_t to = from; to < steps.size(); ++to) {
      cost_us += steps[to].cost_us;
      const std::int64_t in_us = steps[to].began_us + steps[to].cost_us - steps[from].began_us;
      const double may_us = 0.05 * static_cast<double>(in_us + kLoadAheadUs);
      most_above_us = std::max(most_above_us, static_cast<double>(cost_us) - may_us);
    }
  }
  CHECK(steps.size() == 6'000);
  CHECK(most_above_us > 0);  // the last step may go beyond it
  CHECK(most_above_us < 4'000);
}

TEST_CASE("with all of the server's time nothing ever waits") {
  LoadPacer pacer(1, kLoadAheadUs);
  for (int i = 0; i < 100; ++i) pacer.add(1'000'000, 3'000'000);
  CHECK(pacer.next_us() == 0);
}
