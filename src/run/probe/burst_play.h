// Sends more and more requests at once, until one is denied. Borrows the loop and the limiters. One
// thread.
#pragma once

#include <span>

#include "io/loop.h"
#include "limiter/limiter.h"
#include "probe/burst.h"

namespace rlctl {

inline constexpr std::size_t kFewestAtOnce = 4;
// A burst that was denied in part is sent again so often, at most.
inline constexpr std::int64_t kBurstChecks = 3;

// As many limiters as requests at once, at most. `waits`: requests one after another had to wait.
// `rest_us`: first it sends nothing for so long, until a queue is empty.
Task<BurstFinding> play_bursts(Loop& loop, std::span<Limiter* const> limiters, bool waits,
                               std::int64_t rest_us);

}  // namespace rlctl
