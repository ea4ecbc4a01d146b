// Denials that a block explains: after a denial that the window explains, every request is denied
// for block_us, whatever the window holds by then.
#pragma once

#include <vector>

#include "core/depth.h"
#include "core/opinion.h"

namespace rlctl {

// `opinions` are the window's (wrong: the window certainly does not explain it); `possible` is the
// depth they were taken from. A wrong one becomes undecided if some denial that the window may
// explain can lie in [t - block_us, t) of it. An undecided one becomes right if it certainly does:
// a denial that the window certainly explains, at a time when no earlier block can have been in
// force (a block does not prolong itself).
void explain_by_block(const std::vector<Placement>& denied, const Depth& possible,
                      const DenialRule& rule, std::vector<Opinion>& opinions);

}  // namespace rlctl
