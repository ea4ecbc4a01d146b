// Work on all cores: pieces that have no effect on each other. Blocks until all are done.
#pragma once

#include <cstddef>
#include <functional>

namespace rlctl {

std::size_t cores();

// Calls `work` with every number below `pieces`, on at most so many threads, and after it `done`
// with the same number, one at a time. The first exception ends it and is thrown.
void work_on_threads(std::size_t threads, std::size_t pieces,
                     const std::function<void(std::size_t)>& work,
                     const std::function<void(std::size_t)>& done);

}  // namespace rlctl
