#include "run/probe/paced_limiter.h"

#include <algorithm>

#include "io/clock.h"

namespace rlctl {

Task<bool> sleep_until(Loop& loop, std::int64_t at_us) {
  // in parts, so that Ctrl-C ends it
  constexpr std::int64_t kLongestSleepUs = 100'000;
  while (now_us() < at_us) {
    if (loop.interrupted()) co_return false;
    co_await loop.until(std::min(at_us, now_us() + kLongestSleepUs));
  }
  co_return !loop.interrupted();
}

Task<Decision> PacedLimiter::ask() {
  co_await sleep_until(loop_, now_us() + gap_us_);
  ++asked_;
  const Decision decision = co_await limiter_.decide(attempt_);
  lost_ = decision.outcome <= Outcome::denied ? 0 : lost_ + 1;
  co_return decision;
}

Task<Answered> PacedLimiter::ask(std::int64_t count) {
  Answered answered;
  for (; answered.sent < count && !loop_.interrupted(); ++answered.sent) {
    const Decision decision = co_await ask();
    answered.admitted += decision.outcome == Outcome::allowed ? 1 : 0;
    answered.denied += decision.outcome == Outcome::denied ? 1 : 0;
  }
  co_return answered;
}

Task<bool> PacedLimiter::fill(std::int64_t limit) {
  int denied = 0;
  const auto goes_on = [&] { return denied < 2 && !is_gone() && !loop_.interrupted(); };
  for (std::int64_t sent = 0; sent < 2 * limit + 4 && goes_on(); ++sent) {
    const Decision decision = co_await ask();
    denied = decision.outcome == Outcome::denied ? denied + 1 : 0;
  }
  co_return denied == 2;
}

}  // namespace rlctl
