// Denials that a block explains: after a denial that the window explains, every request is denied
// for block_us, whatever the window holds by then.
#pragma once

#include <vector>

#include "core/depth.h"
#include "core/opinion.h"

namespace rlctl {

// A closed span of instants.
struct Span {
  std::int64_t from_us;
  std::int64_t to_us;
};

// Every instant at which some denial may have been decided with a full window, so that a block may
// start there: sorted, disjoint. `possible` is the depth that the denials were judged by.
std::vector<Span> block_starts(const std::vector<Placement>& denied, const Depth& possible,
                               const DenialRule& rule);

// The same where no depth is at hand: the whole intervals of the denials that are not wrong.
std::vector<Span> block_starts(const std::vector<Placement>& denied,
                               const std::vector<Opinion>& opinions);

// `opinions` are the window's (wrong: the window certainly does not explain it). A wrong one
// becomes undecided if a block can lie over it: t of the denial and a start u with u < t <= u +
// block_us. An undecided one becomes right if a block certainly does: after a denial that the
// window certainly explains, at a time when no earlier block can have been in force (a block does
// not prolong itself).
void explain_by_block(const std::vector<Placement>& denied, const std::vector<Span>& starts,
                      std::int64_t block_us, std::vector<Opinion>& opinions);

}  // namespace rlctl
