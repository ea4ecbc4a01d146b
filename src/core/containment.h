// Proofs by containment: operations whose whole intervals lie in one window were admitted in it
// wherever they were decided.
//
// For the window that opens with operation i these are the operations j with low_j >= low_i and
// high_j < end(low_i). No other window need be looked at: the operations that a window contains are
// contained as well in the window that opens at the earliest low among them. More than the limit of
// them is a proof that anyone checks by reading the records.
#pragma once

#include <cstdint>
#include <vector>

#include "core/history.h"
#include "core/verdict.h"
#include "core/window_rule.h"

namespace rlctl {

struct Containment {
  std::int64_t count = 0;
  WorstWindow window;
};

// The most admissions that one window certainly holds, and which. `admitted` sorted by low_us.
// O(n log n): going down in low_us the end of the window only falls, so what sticks out of it is
// dropped from a heap for good.
Containment most_certain(const std::vector<Placement>& admitted, const WindowRule& rule,
                         std::int64_t limit);

// The least number of admissions that must go before no window certainly holds more than `limit`.
// By high_us ascending; at each violation the latest low goes, for it is in every later window in
// which any of the others is. (The exchange argument of interval point cover.)
std::int64_t least_excess(const std::vector<Placement>& admitted, const WindowRule& rule,
                          std::int64_t limit);

// The widest sliding window, at most `window_us`, that certainly holds no more than `limit`
// anywhere: the least (high_j - low_i) over any limit + 1 admissions.
std::int64_t widest_kept(const std::vector<Placement>& admitted, std::int64_t window_us,
                         std::int64_t limit);

}  // namespace rlctl
