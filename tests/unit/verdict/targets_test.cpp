// Several targets that decide together: one history, one verdict.
#include <doctest/doctest.h>

#include "log/target_counts.h"
#include "verdict/verdict.h"

namespace {

using namespace rlctl;

void ask(Log& log, std::uint16_t target, Outcome outcome, std::int64_t at_us) {
  Record record;
  record.sent_us = at_us;
  if (outcome != Outcome::failed) record.received_us = at_us + 10;
  record.target = target & 63;
  record.outcome = outcome;
  log.records.push_back(record);
}

Log of_two_targets(const Rule& rule) {
  Log log;
  log.keys = {"k"};
  log.targets = {"http://a/", "http://b/"};
  log.policy = policy_of({rule});
  return log;
}

const Rule kThree{.limit = 3, .window_us = 1'000'000};

JudgeOptions fresh_keys() {
  JudgeOptions options;
  options.fresh = true;
  return options;
}

}  // namespace

TEST_CASE("two targets that each keep the limit break it together, and the reason says how far") {
  Log log = of_two_targets(kThree);
  for (std::int64_t i = 0; i < 8; ++i)
    ask(log, i % 2, i < 6 ? Outcome::allowed : Outcome::denied, i * 100);
  const Verdict verdict = judge(log, fresh_keys());
  CHECK(verdict.verdict == VerdictKind::violated);
  CHECK(verdict.policy.totals.overshoot == 2);
  CHECK(verdict.reason ==
        "6 admissions within 510 µs, but the limit is 3 per 1s: 2 targets admitted 2.00 times the "
        "limit");
  const std::vector<TargetCounts> counts = counts_by_target(log);
  REQUIRE(counts.size() == 2);
  CHECK(counts[1].target == "http://b/");
  CHECK(counts[1].requests == 4);
  CHECK(counts[1].allowed == 3);
  CHECK(counts[1].denied == 1);
}

TEST_CASE("the overshoot of a bucket is measured against its capacity and the refill meanwhile") {
  Log log = of_two_targets(
      {.kind = RuleKind::bucket, .limit = 10, .window_us = 1'000'000, .capacity = 10});
  for (std::int64_t i = 0; i < 20; ++i) ask(log, i % 2, Outcome::allowed, i * 10);
  ask(log, 0, Outcome::denied, 300);
  const double overshoot = judge(log, fresh_keys()).policy.totals.overshoot;
  CHECK(overshoot > 1.99);
  CHECK(overshoot < 2);
}

TEST_CASE("on fresh keys the first window of a first hit is known, so the factor is too") {
  Log log = of_two_targets({.kind = RuleKind::first_hit, .limit = 3, .window_us = 1'000'000});
  for (std::int64_t i = 0; i < 8; ++i)
    ask(log, i % 2, i < 6 ? Outcome::allowed : Outcome::denied, i * 100);
  const Verdict verdict = judge(log, fresh_keys());
  CHECK(verdict.verdict == VerdictKind::violated);
  CHECK(verdict.policy.totals.overshoot == 2);
  CHECK(verdict.policy.totals.excess_certain == 3);
  // Of older keys, a window may have ended between any two of them.
  CHECK(judge(log).verdict != VerdictKind::violated);
}

TEST_CASE("two targets that keep the limit together hold, with the factor as a note") {
  Log log = of_two_targets(kThree);
  for (std::int64_t i = 0; i < 8; ++i)
    ask(log, i % 2, i < 3 ? Outcome::allowed : Outcome::denied, i * 100);
  const Verdict verdict = judge(log, fresh_keys());
  CHECK(verdict.verdict == VerdictKind::holds);
  CHECK(verdict.notes.front() == "2 targets admitted 1.00 times the limit");
}

TEST_CASE("a target that decides nothing is never part of a pass, whatever the budgets allow") {
  for (const Outcome lost : {Outcome::failed, Outcome::unknown}) {
    Log log = of_two_targets(kThree);
    for (std::int64_t i = 0; i < 8; ++i) {
      ask(log, 0, i < 3 ? Outcome::allowed : Outcome::denied, i * 100);
      ask(log, 1, lost, i * 100);
    }
    const Verdict verdict = judge(log, fresh_keys());
    CHECK(verdict.verdict == VerdictKind::inconclusive);
    CHECK(verdict.reason == "http://b/ decided none of its 8 requests");
  }
}

TEST_CASE("a target that was asked nothing proves nothing") {
  Log log = of_two_targets(kThree);
  for (std::int64_t i = 0; i < 8; ++i)
    ask(log, 0, i < 3 ? Outcome::allowed : Outcome::denied, i * 100);
  CHECK(judge(log, fresh_keys()).reason == "http://b/ was asked nothing");
  // A violation stays one.
  for (std::int64_t i = 0; i < 3; ++i) ask(log, 0, Outcome::allowed, 900 + i);
  CHECK(judge(log, fresh_keys()).verdict == VerdictKind::violated);
}
