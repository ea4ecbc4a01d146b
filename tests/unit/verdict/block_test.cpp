// Blocks after a denial, on logs of simulated limiters whose truth is known: one that blocks, and
// one that forgets to.
#include <doctest/doctest.h>

#include <deque>

#include "tools/random_history.h"
#include "verdict/verdict.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

// An exact sliding window with a block. Times in µs.
class BlockingLimiter {
 public:
  BlockingLimiter(const Rule& rule, bool forgets) : rule_(rule), forgets_(forgets) {}

  Outcome decide(std::int64_t now_us) {
    if (!forgets_ && now_us > blocked_from_us_ && now_us < blocked_from_us_ + rule_.block_us)
      return Outcome::denied;
    while (!admitted_.empty() && admitted_.front() <= now_us - rule_.window_us)
      admitted_.pop_front();
    if (static_cast<std::int64_t>(admitted_.size()) < rule_.limit) {
      admitted_.push_back(now_us);
      return Outcome::allowed;
    }
    blocked_from_us_ = now_us;
    return Outcome::denied;
  }

 private:
  Rule rule_;
  bool forgets_;
  std::deque<std::int64_t> admitted_;
  std::int64_t blocked_from_us_ = -1'000'000;
};

// Requests at random instants, each known only to an interval around its decision.
Log random_log(HistoryRandom& random, const Rule& rule, bool forgets) {
  BlockingLimiter limiter(rule, forgets);
  Log log;
  log.keys = {"k"};
  log.policy = policy_of({rule});
  std::int64_t now_us = 0;
  for (int i = 0; i < 30; ++i) {
    now_us += random.between(1, 12);
    Record record;
    record.outcome = limiter.decide(now_us);
    record.sent_us = now_us - random.between(0, 3);
    record.received_us = now_us + random.between(0, 3);
    log.records.push_back(record);
  }
  return log;
}

Rule random_rule(HistoryRandom& random) {
  return {.limit = random.between(1, 3),
          .window_us = random.between(10, 30),
          .block_us = random.between(10, 80)};
}

}  // namespace

TEST_CASE("a limiter that blocks is never refuted by its block, one that forgets to often is") {
  JudgeOptions fresh;
  fresh.fresh = true;
  std::int64_t refuted = 0;
  constexpr std::uint64_t kLogs = 2'000;
  for (std::uint64_t seed = 1; seed <= kLogs; ++seed) {
    CAPTURE(seed);
    HistoryRandom random(seed);
    const Rule rule = random_rule(random);
    const Log sound = random_log(random, rule, false);
    for (const JudgeOptions& options : {fresh, JudgeOptions()}) {
      const Judgement judgement = judge_rules(sound, {rule}, options);
      CHECK(judgement.totals.admitted_in_blocks == 0);
      CHECK_FALSE(judgement.violations.over_admission);
      CHECK_FALSE(judgement.violations.false_denial);
    }
    const Log broken = random_log(random, rule, true);
    refuted += judge_rules(broken, {rule}, fresh).totals.admitted_in_blocks > 0 ? 1 : 0;
  }
  CHECK(refuted > static_cast<std::int64_t>(kLogs / 2));
}
