#include "arrivals/attack.h"

#include <algorithm>

namespace rlctl {
namespace {

constexpr int kEdges = 2;

std::int64_t next_edge_us(std::int64_t at_us, std::int64_t window_us) {
  return (at_us + window_us - 1) / window_us * window_us;
}

void add_burst(std::vector<Arrival>& plan, std::int64_t at_us, std::int64_t count,
               std::uint32_t key) {
  Arrival arrival;
  arrival.intended_us = at_us;
  arrival.key = arrival.client = key;
  plan.insert(plan.end(), static_cast<std::size_t>(count), arrival);
}

// The edges are three windows apart, so that the state from one edge is gone before the next.
void add_edges(std::vector<Arrival>& plan, const Policy& policy, std::int64_t first_edge_us,
               std::uint32_t key, bool open_window) {
  const std::int64_t window_us = policy.window_us;
  const EdgeDistance distance = distance_of(window_us, kBenchEdge);
  for (int i = 0; i < kEdges; ++i) {
    const std::int64_t edge_us = first_edge_us + 3 * i * window_us;
    if (open_window) add_burst(plan, edge_us - window_us, 1, key);
    add_burst(plan, edge_us - distance.before_us, policy.limit, key);
    add_burst(plan, edge_us + distance.after_us, policy.limit, key);
  }
}

void add_hammer(std::vector<Arrival>& plan, const Policy& policy, std::int64_t start_us,
                std::uint32_t key, std::int64_t hammered) {
  const std::int64_t length_us = policy.window_us * 5 / 2;
  const std::int64_t attempts = std::max(hammered, 10 * policy.limit);
  for (std::int64_t i = 0; i < attempts; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(attempts);
    add_burst(plan, start_us + static_cast<std::int64_t>(static_cast<double>(length_us) * share), 1,
              key);
  }
}

}  // namespace

EdgeDistance distance_of(std::int64_t window_us, const EdgeDistance& most) {
  return {std::min(window_us / 10, most.before_us), std::min(window_us / 50, most.after_us)};
}

std::vector<Arrival> plan_attack(Attack attack, const Policy& policy, std::int64_t start_us,
                                 std::uint32_t key, std::int64_t hammered) {
  const std::int64_t window_us = policy.window_us;
  std::vector<Arrival> plan;
  if (attack == Attack::aligned)
    add_edges(plan, policy,
              next_edge_us(start_us + distance_of(window_us, kBenchEdge).before_us, window_us), key,
              false);
  else if (attack == Attack::anchored)
    add_edges(plan, policy, start_us + window_us, key, true);
  else
    add_hammer(plan, policy, start_us, key, hammered);
  return plan;
}

}  // namespace rlctl
