#include "run/probe/examination_play.h"

#include <algorithm>

#include "base/error.h"
#include "io/clock.h"
#include "run/drive.h"
#include "verdict/outcome/header_truth.h"

namespace rlctl {
namespace {

// So many requests in a row without a decision: there is no limiter to examine.
constexpr std::int64_t kMostLost = 5;

Error no_decision(const ExaminationPace& pace, const Decision& decision) {
  return {Exit::target, "no decision from " + pace.limiter + ": " + decision.problem,
          pace.hint == nullptr ? "" : pace.hint(decision)};
}

}  // namespace

Task<bool> play_examination(Loop& loop, Limiter& limiter, Attempt attempt, Examination& examination,
                            const ExaminationPace& pace) {
  std::int64_t lost = 0;
  Decision decision;
  std::int64_t next_us = now_us();
  while (const auto at_us = examination.next_us(std::max(next_us, now_us()))) {
    if (!co_await sleep_until(loop, *at_us)) co_return false;
    next_us = now_us() + pace.gap_us;
    decision = co_await limiter.decide(attempt);
    lost = decision.outcome <= Outcome::denied ? 0 : lost + 1;
    if (lost == kMostLost) throw no_decision(pace, decision);
    examination.note(make_record({}, decision, *at_us));
  }
  // Its time, or its requests, may be over before so many are lost.
  if (lost > 0 && lost == std::ssize(examination.log().records)) throw no_decision(pace, decision);
  co_return true;
}

Task<> obey_retry_after(PacedLimiter limiter, std::int64_t limit, std::int64_t longest_us,
                        Log& log) {
  Loop& loop = limiter.loop();
  for (std::int64_t sent = 0; sent < 2 * limit + 2 && !loop.interrupted(); ++sent) {
    const Decision decision = co_await limiter.ask();
    log.records.push_back(make_record({}, decision, decision.sent_us));
    if (decision.outcome != Outcome::denied) continue;
    if (decision.retry_after_us == kNoTime || decision.retry_after_us > longest_us) co_return;
    // A denial within the tolerance of the promise would prove nothing.
    const std::int64_t late_us = decision.received_us - decision.sent_us + kPromiseClockUs;
    const bool waited =
        co_await sleep_until(loop, decision.received_us + decision.retry_after_us + late_us);
    if (!waited) co_return;
    const Decision after = co_await limiter.ask();
    log.records.push_back(make_record({}, after, after.sent_us));
    co_return;
  }
}

}  // namespace rlctl
