// Whether each decision agrees with an exact limiter, given what was really admitted before it.
//
// An error is thus counted once, and does not make every later decision look wrong: after one
// admission too many, the denial that follows from it is right. Opinions hold for every placement:
//   - a denial is wrong if at no instant of its interval the others could have filled the window,
//     and right if at each of them they certainly had;
//   - an admission is right if at no instant the others could have filled the window, and wrong if
//     at each of them they certainly had, before it.
// What lies between is undecided. Instants are the closed interval's; the others may come in the
// very same one, for their order was not seen. Only where several are known to the same instant are
// they taken in the log's order, admissions first: of two admissions in one µs at a limit of 1, one
// is wrong, not both, and a denial in that µs came after them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policy/policy.h"
#include "verdict/history.h"
#include "verdict/window_rule.h"

namespace rlctl {

enum class Opinion : std::uint8_t {
  undecided,
  right,
  wrong,
  unverifiable  // wrong, unless something before the log began explains it
};

// How denials are judged beside the window itself.
struct DenialRule {
  std::int64_t limit = 0;
  bool counts_denied = false;  // other denied attempts fill the window too
  std::int64_t block_us = 0;  // denied for this long after a denial that the window explains; 0: no
  std::optional<std::int64_t>
      verifiable_from_us;  // before it the log does not show the whole window
};

// One opinion per history.denied. O(n log n), times the number of different costs where block_us >
// 0.
std::vector<Opinion> judge_denials(const History& history, const WindowRule& window,
                                   const DenialRule& rule);

// Turns wrong into unverifiable before `verifiable_from_us`.
void excuse_unseen(const std::vector<Placement>& denied,
                   const std::optional<std::int64_t>& verifiable_from_us,
                   std::vector<Opinion>& opinions);

// One opinion per history.admitted.
std::vector<Opinion> judge_admissions(const History& history, const WindowRule& window,
                                      std::int64_t limit, bool counts_denied);

// For each admission known to the instant: how much was admitted in the same instant before and
// after it, in the log's order. 0 for the others.
struct Ties {
  std::vector<std::int64_t> before;
  std::vector<std::int64_t> after;
};
Ties ties_of(const std::vector<Placement>& admitted);

}  // namespace rlctl
