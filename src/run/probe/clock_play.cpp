#include "run/probe/clock_play.h"

#include <algorithm>

#include "base/units.h"

namespace rlctl {
namespace {

// A refill may admit one; a clock that is far ahead admits them all.
constexpr std::int64_t kMostAhead = 3;

Task<bool> fill(Limiter& limiter, Attempt attempt, std::int64_t limit) {
  int denied = 0;
  for (std::int64_t sent = 0; denied < 2 && sent < 2 * limit + 4; ++sent) {
    const Decision decision = co_await limiter.decide(attempt);
    denied = decision.outcome == Outcome::denied ? denied + 1 : 0;
  }
  co_return denied == 2;
}

}  // namespace

Task<ClockOwner> whose_clock(Limiter& limiter, Attempt attempt, ClockTrial trial) {
  const bool is_full = co_await fill(limiter, attempt, trial.limit);
  if (!is_full) co_return ClockOwner::unknown;
  attempt.clock_offset_us = trial.ahead_us;
  const std::int64_t sent = std::min(kMostAhead, trial.limit);
  std::int64_t admitted = 0;
  std::int64_t denied = 0;
  for (std::int64_t i = 0; i < sent; ++i) {
    const Decision decision = co_await limiter.decide(attempt);
    admitted += decision.outcome == Outcome::allowed ? 1 : 0;
    denied += decision.outcome == Outcome::denied ? 1 : 0;
  }
  if (admitted == sent) co_return ClockOwner::client;
  co_return denied == sent ? ClockOwner::limiter : ClockOwner::unknown;
}

std::string clock_text(ClockOwner owner, std::int64_t ahead_us) {
  const std::string ahead = "a client whose clock is " + format_duration_for_people(ahead_us);
  if (owner == ClockOwner::client)
    return "clock: the client's: " + ahead + " ahead is admitted, though it was denied\n";
  if (owner == ClockOwner::limiter) return "clock: its own: " + ahead + " ahead is denied too\n";
  return "clock: not decided: there was room again too soon\n";
}

}  // namespace rlctl
