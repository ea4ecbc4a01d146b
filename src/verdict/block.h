// Denials that a block explains. A denial by the window starts a block: every request is then
// denied for block_us, even if the window has room again.
#pragma once

#include <vector>

#include "verdict/opinion.h"
#include "verdict/step_function.h"

namespace rlctl {

// A closed span of instants.
struct Span {
  std::int64_t from_us;
  std::int64_t to_us;
};

// Every instant at which a denial may have been decided with a full window, so that a block may
// start there: sorted, disjoint. `possible` is the depth that was used to judge the denials.
std::vector<Span> block_starts(const std::vector<Placement>& denied, const Depth& possible,
                               const DenialRule& rule);

// The same without a depth: the whole intervals of the denials that are not wrong.
std::vector<Span> block_starts(const std::vector<Placement>& denied,
                               const std::vector<Opinion>& opinions);

// `opinions` come from the window (wrong: the window certainly does not explain the denial). A
// wrong one becomes undecided if a block may cover it: some instant t of the denial and some start
// u have u < t <= u + block_us. An undecided one becomes right if a block certainly covers it. A
// block is certain after a denial that the window certainly explains, if no earlier block can be
// active at that time (a block does not extend itself).
void explain_by_block(const std::vector<Placement>& denied, const std::vector<Span>& starts,
                      std::int64_t block_us, std::vector<Opinion>& opinions);

}  // namespace rlctl
