// "N in flight" on small histories that can be checked by hand.
#include <doctest/doctest.h>

#include "base/error.h"
#include "verdict/verdict.h"

namespace {

using namespace rlctl;

Log log_of(const char* rules) {
  Log log;
  log.keys = {"k"};
  log.policy = policy_of(parse_rules(rules, "--policy"));
  return log;
}

void add(Log& log, Outcome outcome, std::int64_t sent_us, std::int64_t received_us) {
  Record record;
  record.sent_us = sent_us;
  record.received_us = received_us;
  record.outcome = outcome;
  log.records.push_back(record);
}

// Admitted at `at_us`, released at `end_us`.
void hold(Log& log, std::int64_t at_us, std::int64_t end_us) {
  log.has_finishes = true;
  log.set_finish(log.records.size(), {end_us, end_us});
  add(log, Outcome::allowed, at_us, at_us);
}

void vanish(Log& log, std::int64_t at_us) {
  log.has_finishes = true;
  add(log, Outcome::allowed, at_us, at_us);
}

Judgement judged(const Log& log, JudgeOptions options = {}) {
  options.fresh = true;
  return judge_rules(log, log.policy.rules, options);
}

}  // namespace

TEST_CASE("in flight: one more than the limit is held, whatever the order") {
  Log log = log_of("2 in flight");
  hold(log, 0, 100);
  hold(log, 10, 50);
  add(log, Outcome::denied, 20, 20);
  CHECK(judged(log).verdict == VerdictKind::holds);
  hold(log, 30, 40);
  const Judgement judgement = judged(log);
  CHECK(judgement.verdict == VerdictKind::violated);
  CHECK(judgement.reason == "3 held at once, but the limit is 2 in flight");
  CHECK(judgement.totals.worst_window.records == std::vector<std::uint32_t>{0, 1, 3});
  CHECK(judgement.totals.excess_certain == 1);
}

// A proxy counts a request until it has cleaned up after the answer, which its client may have had
// for milliseconds.
TEST_CASE("in flight: a place may be given back a tolerance after the answer") {
  Log log = log_of("1 in flight");
  add(log, Outcome::allowed, 0, 200'000);
  add(log, Outcome::denied, 205'000, 206'000);
  JudgeOptions options;
  options.held_at_least_us = 190'000;
  CHECK(judged(log, options).violations.false_denial);
  options.tolerance_us = 10'000;
  CHECK(judged(log, options).verdict == VerdictKind::holds);
  options.tolerance_us = 2'000;
  CHECK(judged(log, options).violations.false_denial);
  add(log, Outcome::allowed, 100'000, 300'000);  // decided by 110 ms, when the first was held
  CHECK(judged(log, options).violations.over_admission);
}

TEST_CASE("in flight: a slot may pass on in the same microsecond") {
  Log log = log_of("1 in flight");
  hold(log, 0, 10);
  hold(log, 10, 20);
  add(log, Outcome::denied, 5, 5);
  const Judgement judgement = judged(log);
  CHECK(judgement.verdict == VerdictKind::holds);
  CHECK(judgement.totals.max_certain == 1);
  CHECK(judgement.totals.max_possible == 2);
}

TEST_CASE("in flight: an admission over in an instant finds the slots taken") {
  Log log = log_of("1 in flight");
  hold(log, 0, 100);
  hold(log, 50, 50);
  CHECK(judged(log).totals.over_admission == OverAdmission::certain);
}

TEST_CASE("in flight: a vanished holder explains denials until its lease ends") {
  Log log = log_of("1 in flight, lease 30us");
  vanish(log, 0);
  add(log, Outcome::denied, 30, 30);
  CHECK(judged(log).verdict == VerdictKind::holds);
  add(log, Outcome::denied, 31, 31);
  const Judgement judgement = judged(log);
  CHECK(judgement.totals.certain_false_denials == std::vector<std::uint32_t>{2});
  log.policy = policy_of(parse_rules("1 in flight", "--policy"));
  CHECK(judged(log).verdict == VerdictKind::holds);  // nobody knows when it lets go
}

TEST_CASE("in flight: a lease lets nobody go in an instant") {
  Log log = log_of("1 in flight, lease 3us");
  hold(log, 8, 11);
  hold(log, 11, 16);  // until its lease ends at 14
  // At 8 its lease would end at 11, but the slot is taken; from 12 on it may be over at once.
  log.set_finish(log.records.size(), {12, 15});
  add(log, Outcome::allowed, 8, 13);
  CHECK(judged(log).verdict == VerdictKind::violated);
  log.records[2].received_us = 14;
  CHECK(judged(log).totals.proof == Proof::witness);
}

// The third must be decided at 5, so that its lease ends at 11; the second comes after it, at 6,
// although its range begins earlier and it is held shorter.
TEST_CASE("in flight: of two leases the longer one may have to begin first") {
  Log log = log_of("2 in flight, lease 6us");
  const auto held = [&](std::int64_t low_us, std::int64_t high_us, std::int64_t from_us,
                        std::int64_t to_us) {
    log.has_finishes = true;
    log.set_finish(log.records.size(), {from_us, to_us});
    add(log, Outcome::allowed, low_us, high_us);
  };
  held(3, 5, 6, 7);
  held(2, 6, 6, 7);
  held(5, 9, 15, 100);
  held(11, 11, 15, 16);
  held(11, 11, 13, 15);
  CHECK(judged(log).totals.proof == Proof::witness);
}

TEST_CASE("in flight: a lease may end sooner or later by the tolerance") {
  Log log = log_of("1 in flight, lease 10us");
  hold(log, 0, 100);
  hold(log, 9, 100);
  add(log, Outcome::denied, 19, 22);
  JudgeOptions options;
  options.tolerance_us = 1;
  CHECK(judged(log, options).verdict == VerdictKind::holds);
  log.records[2].sent_us = 21;
  CHECK(judged(log, options).verdict == VerdictKind::violated);
}

// The first one must have let go for the second one.
TEST_CASE("in flight: holders from before the log may explain a denial") {
  Log log = log_of("1 in flight");
  vanish(log, 1);
  log.set_finish(log.records.size(), {2, 3});
  add(log, Outcome::allowed, 1, 2);
  add(log, Outcome::denied, 8, 10);
  CHECK(judged(log).verdict == VerdictKind::violated);
  CHECK(judge_rules(log, log.policy.rules, {}).verdict == VerdictKind::holds);
}

TEST_CASE("in flight: over HTTP the end of the answer is the end") {
  Log log = log_of("1 in flight");
  add(log, Outcome::allowed, 0, 100);
  add(log, Outcome::allowed, 10, 110);
  add(log, Outcome::denied, 20, 21);
  CHECK(judged(log).totals.max_certain == 1);
  JudgeOptions options;
  options.held_at_least_us = 60;  // held from 40 to 60 and from 50 to 70
  CHECK(judged(log, options).totals.max_certain == 2);
  options.held_at_least_us = 55;  // 45 to 55, 55 to 65: but three times 55 do not fit into 0 to 110
  CHECK(judged(log, options).totals.over_admission == OverAdmission::possible);
  options.held_at_least_us = 101;
  CHECK_THROWS_WITH_AS(judged(log, options),
                       "request 1 was answered after 100 µs: it was not held for 101us", Error);
}
