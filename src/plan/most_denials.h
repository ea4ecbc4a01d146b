// The most requests that an exact limiter may have to deny, over all placements of the arrivals in
// their intervals.
//
// An exact limiter admits a request whenever the rule has room. For one placement p it denies
//   D(p) = the largest sum of N_p(S) - b(S) over disjoint spans S,
// where N_p(S) arrivals lie in S and the rule admits b(S) there: windows of length W with b = L, or
// any spans of length d with b = floor(capacity + rate d). (Choosing the largest set of arrivals
// that keeps all spans is a linear program over intervals, which is totally unimodular; the sum is
// its dual. Taking each request that fits is optimal, because a later one in its place is in every
// later span that the earlier one is in.) So the most over all placements is the largest sum of
// what *can* lie in the spans: each arrival counts if its interval touches one of them. That is one
// sweep over time, O(n log n).
//
// Pure; times are µs. Costs of 1 only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/rule.h"
#include "verdict/algorithm/window_rule.h"
#include "verdict/history.h"

namespace rlctl {

// By the ends of their intervals; of equal ends, in the order given.
std::vector<Placement> by_high(std::vector<Placement> arrivals);

struct FullestWindow {
  std::int64_t count = 0;  // the sum of the costs
  std::int64_t from_us = 0;
};

// The sliding window that can hold the most arrivals, wherever in their intervals they came. Up to
// the limit, most_denials() is 0. The same arrivals in two orders: by their lows, and by_high().
FullestWindow fullest_window(std::span<const Placement> by_low, std::span<const Placement> by_high,
                             std::int64_t window_us);

// Windows that begin anywhere, or aligned ones.
std::int64_t most_denials(const std::vector<Placement>& arrivals, const WindowRule& window,
                          std::int64_t limit);

// A bucket that is refilled evenly.
std::int64_t most_denials_of_bucket(const std::vector<Placement>& arrivals, const Rule& bucket);

}  // namespace rlctl
