// The progress line of long work on a Redis, and one note when it begins to wait because it has
// taken its share of the server's time at once (io/redis/paced_redis.h). Borrows the loop and the
// Redis. One thread; one at a time.
#pragma once

#include <functional>

#include "cli/output/progress.h"
#include "io/redis/paced_redis.h"

namespace rlctl {

class PacedProgress {
 public:
  PacedProgress(Loop& loop, PacedRedis& redis, bool quiet, std::function<Work()> work);
  ~PacedProgress() { redis_.on_first_wait({}); }
  PacedProgress(const PacedProgress&) = delete;
  PacedProgress& operator=(const PacedProgress&) = delete;

 private:
  PacedRedis& redis_;
  Progress line_;
};

// "scanning now takes at most 5 % of Redis's time, about 9 m 20 s more; with --load 100% it takes
// about 28 s in all". `cost_us`: of the server, for what is done, in `elapsed_us` without a wait.
// Times are left out if it is not known how much there is.
std::string pacing_in_words(const Work& work, double share, std::int64_t cost_us,
                            std::int64_t elapsed_us);

}  // namespace rlctl
