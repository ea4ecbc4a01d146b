// How many files this process may have open: by default 1,024 on most systems, although the hard
// limit is far higher. Call it on the main thread, before connections are made.
#pragma once

#include <cstdint>

namespace rlctl {

// Raises the soft limit to at least `count` plus a few, and if it can be to `possible`. Throws
// Error(Exit::target), which names the limit, if the hard limit is lower than `count`.
void allow_open_files(std::int64_t count, std::int64_t possible = 0);

}  // namespace rlctl
