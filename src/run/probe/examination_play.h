// Plays an examination against a limiter: one request at a time, each when it is due. Borrows all
// that it is given. Throws Error(Exit::target) if the limiter gives no decision at all. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "probe/examination.h"
#include "run/probe/paced_limiter.h"

namespace rlctl {

struct ExaminationPace {
  std::int64_t gap_us = 0;                         // at least, from one request to the next
  std::string limiter;                             // its name in messages, escaped
  std::string (*hint)(const Decision&) = nullptr;  // what to do about no decision
};

struct ExaminationPlayed {
  bool interrupted = false;   // by Ctrl-C
  std::optional<Error> lost;  // after some decisions the limiter gave none any more
};
Task<ExaminationPlayed> play_examination(Loop& loop, Limiter& limiter, Attempt attempt,
                                         Examination& examination, const ExaminationPace& pace);

// A stage after the examination ended without a decision: asks until one comes, at most so many
// times. `stage`: what its requests were sent for, in words.
struct LifeSign {
  std::int64_t requests = 0;
  std::optional<Error> lost;  // none came
};
Task<LifeSign> life_sign(PacedLimiter limiter, const ExaminationPace& pace, std::string stage,
                         std::int64_t most);

// Fills the limiter, obeys the Retry-After of its denial, and asks once more; the three answers
// that matter are the last of `log`. Not if there is none, or one longer than `longest_us`.
Task<> obey_retry_after(PacedLimiter limiter, std::int64_t limit, std::int64_t longest_us,
                        Log& log);

}  // namespace rlctl
