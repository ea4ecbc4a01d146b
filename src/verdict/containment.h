// Proofs by containment: if the whole interval of an operation lies in a window, the operation was
// admitted in that window, whatever its exact time.
//
// For the window that opens with operation i these are the operations j with low_j >= low_i and
// high_j < end(low_i). No other window needs a check: the window that opens at the earliest low of
// its operations contains the same operations. If there are more of them than the limit, that is a
// proof, and anyone can check it by reading the records.
#pragma once

#include <cstdint>
#include <vector>

#include "verdict/algorithm/window_rule.h"
#include "verdict/history.h"
#include "verdict/verdict.h"

namespace rlctl {

struct Containment {
  std::int64_t count = 0;
  WorstWindow window;
};

// The most admissions that one window certainly holds, and that window. `admitted` sorted by
// low_us. O(n) if they are in the order of high_us, too; otherwise O(n log n): in descending order
// of low_us the end of the window only falls, so an operation that ends after it leaves the heap
// for good.
Containment most_certain(const std::vector<Placement>& admitted, const WindowRule& rule,
                         std::int64_t limit);

// The least number of admissions to remove so that no window certainly holds more than `limit`. In
// ascending order of high_us; at each violation the admission with the latest low is removed,
// because it is in every later window that holds any of the others. (The exchange argument of
// interval point cover.) O(n log n); 0 unless most_certain() is above the limit.
std::int64_t least_excess(const std::vector<Placement>& admitted, const WindowRule& rule,
                          std::int64_t limit);

// The widest sliding window, at most `window_us`, that certainly holds no more than `limit`
// anywhere: the least (high_j - low_i) over any limit + 1 admissions.
std::int64_t widest_kept(const std::vector<Placement>& admitted, std::int64_t window_us,
                         std::int64_t limit);

}  // namespace rlctl
