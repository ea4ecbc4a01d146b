#include "limiter/spread_limiter.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace rlctl {
namespace {

std::array<int, 3> asked_by(TargetChoice& choice, int requests, int clients) {
  std::array<int, 3> asked{};
  for (int i = 0; i < requests; ++i) {
    const Identity client{"192.0.2." + std::to_string(i % clients), "", i % clients};
    ++asked[choice.next(&client)];
  }
  return asked;
}

}  // namespace

TEST_CASE("requests go round over all users") {
  TargetChoice choice(TargetSpread::round, 3, 1);
  CHECK(asked_by(choice, 300, 1) == std::array<int, 3>{100, 100, 100});
}

TEST_CASE("requests go at random, and the same seed gives the same targets") {
  TargetChoice one(TargetSpread::random, 3, 7);
  TargetChoice same(TargetSpread::random, 3, 7);
  const auto asked = asked_by(one, 3'000, 1);
  CHECK(asked == asked_by(same, 3'000, 1));
  for (const int count : asked) CHECK(std::abs(count - 1'000) < 150);
}

TEST_CASE("the parts of a run ask the targets that a single machine would ask") {
  for (const TargetSpread spread : {TargetSpread::round, TargetSpread::random}) {
    TargetChoice one(spread, 3, 7);
    TargetChoice first(spread, 3, 7, 1, 2);
    TargetChoice second(spread, 3, 7, 2, 2);
    for (int i = 0; i < 50; ++i) {
      CHECK(first.next(nullptr) == one.next(nullptr));
      CHECK(second.next(nullptr) == one.next(nullptr));
    }
  }
}

TEST_CASE("a client always asks the same target, and many clients use all of them") {
  TargetChoice choice(TargetSpread::client, 3, 1);
  const Identity ann{"192.0.2.1", "ann", 0};
  const std::uint8_t first = choice.next(&ann);
  for (int i = 0; i < 20; ++i) CHECK(choice.next(&ann) == first);
  for (const int count : asked_by(choice, 3'000, 200)) CHECK(std::abs(count - 1'000) < 300);
}

}  // namespace rlctl
