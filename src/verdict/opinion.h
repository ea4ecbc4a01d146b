// Compares each decision with an exact limiter, given what was really admitted before it. Pure.
//
// So an error counts once and does not make every later decision look wrong: after one admission
// too many, the denial that follows from it is right. Opinions hold for every placement:
//   - a denial is wrong if the others could not have filled the window at any instant of its
//     interval, and right if they certainly had filled it at every instant;
//   - an admission is right if the others could not have filled the window at any instant of its
//     interval, and wrong if they certainly had filled it before, at every instant.
// All other decisions are undecided. The interval is closed. The others may lie at the same
// instant, because their order is unknown. If several decisions are known to the exact instant and
// the instant is the same, the log's order counts, admissions first: of two admissions in one µs at
// a limit of 1, only one is wrong, and a denial in that µs came after them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "policy/policy.h"
#include "verdict/algorithm/step_function.h"
#include "verdict/algorithm/window_rule.h"
#include "verdict/history.h"

namespace rlctl {

enum class Opinion : std::uint8_t {
  undecided,
  right,
  wrong,
  unverifiable  // wrong, unless requests before the start of the log explain it
};

// The rules for denials, in addition to the window.
struct DenialRule {
  std::int64_t limit = 0;
  bool counts_denied = false;  // other denied attempts fill the window too
  std::int64_t block_us = 0;   // block after a denial that the window explains; 0: none
  std::optional<std::int64_t>
      verifiable_from_us;  // before it, the log does not cover the whole window
};

// One opinion per history.denied. O(n log n); with block_us > 0, times the number of different
// costs.
std::vector<Opinion> judge_denials(const History& history, const WindowRule& window,
                                   const DenialRule& rule);

// Turns wrong into unverifiable before `verifiable_from_us`.
void excuse_unseen(const std::vector<Placement>& denied,
                   const std::optional<std::int64_t>& verifiable_from_us,
                   std::vector<Opinion>& opinions);

// One opinion per history.admitted.
std::vector<Opinion> judge_admissions(const History& history, const WindowRule& window,
                                      std::int64_t limit, bool counts_denied);

// For each admission with an exact time: the cost admitted at the same instant before and after it,
// in the log's order. 0 for the other admissions.
struct Ties {
  std::vector<std::int64_t> before;
  std::vector<std::int64_t> after;
};
Ties ties_of(const std::vector<Placement>& admitted);

// Denials that a block explains. A denial by the window starts a block: every request is then
// denied for block_us, even if the window has room again.

// A closed span of instants.
struct Span {
  std::int64_t from_us;
  std::int64_t to_us;
};

// Every instant at which a request may have been denied with a full window, so that a block may
// start there: sorted, disjoint. An unanswered request may have been denied. `possible` is the
// depth that was used to judge the denials.
std::vector<Span> block_starts(const History& history, const Depth& possible,
                               const DenialRule& rule);

// The same without a depth: the whole intervals of the denials that are not wrong.
std::vector<Span> block_starts(const History& history, const std::vector<Opinion>& opinions);

struct BlockLength {
  std::int64_t least_us;  // it forbids admissions for so long
  std::int64_t most_us;   // it may explain denials for so long
};

// The spans in which a block is certainly active at every instant, by time. A block is certain
// after a denial that the window certainly explains, if no earlier block can be active at that time
// (a block does not extend itself). `by_window`: opinions that know of no block. `unseen_until_us`:
// a block from before the log may last until then.
std::vector<Span> certain_blocks(
    const std::vector<Placement>& denied, const std::vector<Opinion>& by_window, BlockLength length,
    std::int64_t unseen_until_us = std::numeric_limits<std::int64_t>::min());

// Whether the whole interval lies in one of the spans.
bool is_inside_any(const std::vector<Span>& blocks, const Placement& p);

// `opinions` come from the window (wrong: the window certainly does not explain the denial). A
// wrong one becomes undecided if a block may cover it: some instant t of the denial and some start
// u have u <= t <= u + block_us. One that a certain block covers becomes right.
void explain_by_block(const History& history, const std::vector<Span>& starts,
                      std::int64_t block_us, std::vector<Opinion>& opinions);

}  // namespace rlctl
