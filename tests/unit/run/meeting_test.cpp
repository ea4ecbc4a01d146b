// Threads that agree when to begin. Also under ThreadSanitizer (thread_tests).
#include "run/meeting.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "io/workers.h"

namespace rlctl {

TEST_CASE("nobody begins before all have come, and all begin at the latest of their times") {
  constexpr std::size_t kThreads = 4;
  Meeting meeting(kThreads);
  CHECK_FALSE(meeting.begin_us());
  std::vector<std::int64_t> begun(kThreads);
  work_on_threads(
      kThreads, kThreads,
      [&](std::size_t thread) {
        meeting.come(static_cast<std::int64_t>(10 * (thread + 1)));
        while (!meeting.begin_us()) std::this_thread::yield();
        begun[thread] = *meeting.begin_us();
      },
      [](std::size_t) {});
  CHECK(begun == std::vector<std::int64_t>(kThreads, 40));
}

}  // namespace rlctl
