#include "run/probe/examination_play.h"

#include <algorithm>

#include "base/units.h"
#include "io/clock.h"
#include "run/drive.h"
#include "verdict/outcome/header_truth.h"

namespace rlctl {
namespace {

std::string hint_of(const ExaminationPace& pace, const Decision& decision) {
  return pace.hint == nullptr ? "" : pace.hint(decision);
}

// `when`: "after 3 answers".
Error loss(const std::string& when, const ExaminationPace& pace, const Decision& decision) {
  return {Exit::target,
          when + " " + pace.limiter +
              (decision.received_us == kNoTime ? " went away: " : " gave no more decisions: ") +
              decision.problem,
          hint_of(pace, decision)};
}

// After so many decisions; without one there was nothing to examine.
Error no_decision(const ExaminationPace& pace, const Decision& decision, std::int64_t decided) {
  if (decided > 0) return loss("after " + counted(decided, "answer"), pace, decision);
  return {Exit::target, "no decision from " + pace.limiter + ": " + decision.problem,
          hint_of(pace, decision)};
}

}  // namespace

Task<ExaminationPlayed> play_examination(Loop& loop, Limiter& limiter, Attempt attempt,
                                         Examination& examination, const ExaminationPace& pace) {
  ExaminationPlayed played;
  std::int64_t decided = 0;
  std::int64_t lost = 0;
  Decision decision;
  std::int64_t next_us = now_us();
  while (const auto at_us = examination.next_us(std::max(next_us, now_us()))) {
    if (lost == kMostLost) break;
    played.interrupted = !co_await sleep_until(loop, *at_us);
    if (played.interrupted) {
      examination.end_early(ExaminationEnd::interrupted);
      co_return played;
    }
    next_us = now_us() + pace.gap_us;
    decision = co_await limiter.decide(attempt);
    const bool is_decided = decision.outcome <= Outcome::denied;
    decided += is_decided ? 1 : 0;
    lost = is_decided ? 0 : lost + 1;
    examination.note(make_record({}, decision, *at_us));
  }
  // Its time, or its requests, may be over before so many are lost.
  if (lost > 0 && decided == 0) throw no_decision(pace, decision, decided);
  if (lost < kMostLost) co_return played;
  played.lost = no_decision(pace, decision, decided);
  examination.end_early(ExaminationEnd::lost);
  co_return played;
}

Task<LifeSign> life_sign(PacedLimiter limiter, const ExaminationPace& pace, std::string stage,
                         std::int64_t most) {
  Decision decision;
  while (limiter.asked() < most && !limiter.loop().interrupted()) {
    decision = co_await limiter.ask();
    if (!limiter.is_undecided()) break;
  }
  LifeSign sign{limiter.asked(), {}};
  if (limiter.is_undecided() && !limiter.loop().interrupted())
    sign.lost = loss("while requests were sent " + stage + ",", pace, decision);
  co_return sign;
}

Task<> obey_retry_after(PacedLimiter limiter, std::int64_t limit, std::int64_t longest_us,
                        Log& log) {
  Loop& loop = limiter.loop();
  for (std::int64_t sent = 0; sent < 2 * limit + 2 && !limiter.is_gone() && !loop.interrupted();
       ++sent) {
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
