// How many files this process may have open: 1,024 by default on most systems, while the hard limit
// is far higher. Main thread, before connections are made.
#pragma once

#include <cstdint>

namespace rlctl {

// Raises the soft limit to at least `count` plus a few. Error(Exit::target) that names the limit
// when the hard one is lower.
void allow_open_files(std::int64_t count);

}  // namespace rlctl
