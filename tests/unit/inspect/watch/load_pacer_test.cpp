#include "inspect/watch/load_pacer.h"

#include <doctest/doctest.h>

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
