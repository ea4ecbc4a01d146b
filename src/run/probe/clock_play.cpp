#include "run/probe/clock_play.h"

#include <algorithm>

#include "base/units.h"

namespace rlctl {
namespace {

// A refill may admit one; a clock that is far ahead admits them all.
constexpr std::int64_t kMostAhead = 3;

}  // namespace

Task<ClockFinding> whose_clock(PacedLimiter limiter, ClockTrial trial) {
  const bool is_full = co_await limiter.fill(trial.limit);
  if (!is_full)
    co_return ClockFinding{ClockOwner::unknown, limiter.asked(), limiter.is_undecided()};
  limiter.move_clock(trial.ahead_us);
  const Answered answered = co_await limiter.ask(std::min(kMostAhead, trial.limit));
  const ClockOwner owner = answered.admitted == answered.sent ? ClockOwner::client
                           : answered.denied == answered.sent ? ClockOwner::limiter
                                                              : ClockOwner::unknown;
  co_return ClockFinding{owner, limiter.asked(), limiter.is_undecided()};
}

std::string clock_text(ClockOwner owner, std::int64_t ahead_us) {
  const std::string ahead = "a client whose clock is " + format_duration_for_people(ahead_us);
  if (owner == ClockOwner::client)
    return "clock: the client's: " + ahead + " ahead is admitted, though it was denied\n";
  if (owner == ClockOwner::limiter) return "clock: its own: " + ahead + " ahead is denied too\n";
  return "clock: not decided: there was room again too soon\n";
}

}  // namespace rlctl
