// The smallest limits that hurt few: for each of some windows, how many requests all but a share of
// the clients stay within. Pure; O(n log n).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace rlctl {

struct Advice {
  std::int64_t limit = 0;  // "at most limit in any window"
  std::int64_t window_us = 0;
};

// A client is hurt if a request of it may be denied: its most requests in one window, wherever in
// their intervals they came, are above the limit. `hurt`: at most this share of the clients, 0
// to 1. For windows of 1s, 10s, 1m, 10m and 1h, as far as the log is long and sharp enough.
std::vector<Advice> advise(const Arrivals& arrivals, const Plan& plan, double hurt);

// Which of these windows have no advice, and why: a sentence without a final stop. Empty: none.
std::string windows_left_out(const Plan& plan);

}  // namespace rlctl
