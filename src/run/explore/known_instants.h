// Over-admission where it is known when every command of every client ran, as in an exploration. A
// client that was admitted was counted at one of its commands. Pure; times are µs.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/rule.h"

namespace rlctl {

struct KnownInstants {
  std::vector<std::vector<std::int64_t>> admitted;  // each was counted at one of its instants
  // When any command ran, ascending, each once: there a first hit may have opened a window, also if
  // its client was never admitted.
  std::vector<std::int64_t> hits;
};

// True if no choice of instants keeps all rules, which have windows or buckets. Keys are fresh. The
// choices are searched; if that takes too long (20,000 tries), the answer is false.
bool over_admits(const KnownInstants& known, const Rules& rules, std::int64_t tolerance_us);

}  // namespace rlctl
