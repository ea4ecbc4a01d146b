// Work on all cores: pieces that have no effect on each other.
#pragma once

#include <cstddef>
#include <functional>
#include <future>

namespace rlctl {

std::size_t cores();

// Calls `work` with every number below `pieces`, on at most so many threads, and after it `done`
// with the same number, one at a time. Blocks until all are done. The first exception ends it and
// is thrown.
void work_on_threads(std::size_t threads, std::size_t pieces,
                     const std::function<void(std::size_t)>& work,
                     const std::function<void(std::size_t)>& done);

// One thread beside that of the caller.
class Assistant {
 public:
  // Waits until the work before is done, and throws what that threw. Then does this work while the
  // caller goes on; empty: there is none.
  void begin(std::function<void()> work);

 private:
  std::future<void> busy_;  // waits in its destructor
};

}  // namespace rlctl
