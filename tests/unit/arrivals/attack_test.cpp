// Tests the attacks as lists of times.
#include "arrivals/attack.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace rlctl;

namespace {

constexpr std::int64_t kAttackStart = 1'795'000'000'123'456;

Policy policy_of(std::int64_t limit, std::int64_t window_us) {
  return rlctl::policy_of({Rule{.limit = limit, .window_us = window_us}});
}

std::int64_t arrivals_within(const std::vector<Arrival>& plan, std::int64_t from_us,
                             std::int64_t to_us) {
  return std::count_if(plan.begin(), plan.end(), [&](const Arrival& arrival) {
    return arrival.intended_us >= from_us && arrival.intended_us < to_us;
  });
}

}  // namespace

TEST_CASE("every attack is sorted, begins at its start and ends within five windows") {
  for (const std::int64_t window_us : {1'000LL, 1'000'000LL, 60'000'000LL}) {
    const Policy policy = policy_of(100, window_us);
    for (const Attack attack : kAttacks) {
      INFO(name_of(attack) << " " << window_us);
      const auto plan = plan_attack(attack, policy, kAttackStart, 3);
      REQUIRE_FALSE(plan.empty());
      CHECK(std::is_sorted(plan.begin(), plan.end(), [](const Arrival& a, const Arrival& b) {
        return a.intended_us < b.intended_us;
      }));
      CHECK(plan.front().intended_us >= kAttackStart);
      CHECK(plan.back().intended_us <= kAttackStart + 5 * window_us);
      CHECK(std::all_of(plan.begin(), plan.end(), [](const Arrival& a) { return a.key == 3; }));
    }
  }
}

TEST_CASE("the aligned attack sends the limit on both sides of the clock's edges") {
  const Policy policy = policy_of(100, 1'000'000);
  const auto plan = plan_attack(Attack::aligned, policy, kAttackStart, 0);
  CHECK(plan.size() == 400);
  for (std::size_t burst = 0; burst < 4; ++burst) {
    const std::int64_t at_us = plan[burst * 100].intended_us;
    CHECK(arrivals_within(plan, at_us, at_us + 1) == 100);
  }
  const std::int64_t edge_us = plan.front().intended_us / 1'000'000 * 1'000'000 + 1'000'000;
  CHECK(arrivals_within(plan, edge_us - 500'000, edge_us) == 100);
  CHECK(arrivals_within(plan, edge_us, edge_us + 500'000) == 100);
}

TEST_CASE("the anchored attack opens a window and sends bursts around its end, at any clock time") {
  const Policy policy = policy_of(10, 1'000'000);
  const auto plan = plan_attack(Attack::anchored, policy, kAttackStart, 0);
  CHECK(plan.size() == 42);
  const std::int64_t opened_us = plan.front().intended_us;
  CHECK(opened_us == kAttackStart);
  CHECK(arrivals_within(plan, opened_us, opened_us + 500'000) == 1);
  CHECK(arrivals_within(plan, opened_us + 500'000, opened_us + 1'000'000) == 10);
  CHECK(arrivals_within(plan, opened_us + 1'000'000, opened_us + 1'500'000) == 10);
}

TEST_CASE("the hammer never pauses and requests many times the limit in every window") {
  for (const std::int64_t limit : {1LL, 100LL, 5'000LL}) {
    const Policy policy = policy_of(limit, 1'000'000);
    const auto plan = plan_attack(Attack::hammer, policy, kAttackStart, 0);
    CHECK(arrivals_within(plan, kAttackStart, kAttackStart + 1'000'000) >= 4 * limit);
    CHECK(plan.back().intended_us > kAttackStart + 2'000'000);
    CHECK(plan.size() >= 10'000);
  }
}
