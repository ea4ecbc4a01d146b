// Histories whose verdict hangs on one bound of the judge, found by tests/mutants.sh.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "policy/rules_text.h"
#include "verdict/verdict.h"

namespace {

using namespace rlctl;

Log log_by(const char* rules) {
  Log log;
  log.keys = {"k"};
  log.policy = policy_of(parse_rules(rules, "--policy"));
  return log;
}

void add_request(Log& log, Outcome outcome, std::int64_t sent_us, std::int64_t received_us,
                 std::int64_t cost = 1) {
  Record record;
  record.sent_us = sent_us;
  record.received_us = received_us;
  record.cost = cost;
  record.outcome = outcome;
  log.records.push_back(record);
}

Judgement judgement_of(const Log& log, bool fresh = true) {
  JudgeOptions options;
  options.fresh = fresh;
  options.tolerance_us = 0;
  return judge_rules(log, log.policy.rules, options);
}

}  // namespace

TEST_CASE("a first hit that was denied may have opened the window") {
  Log log = log_by("2/1s first-hit");
  add_request(log, Outcome::denied, 0, 0, 3);
  for (const std::int64_t at_us : {900'000, 900'001, 1'100'000, 1'100'001})
    add_request(log, Outcome::allowed, at_us, at_us);
  CHECK(judgement_of(log).verdict != VerdictKind::violated);
  log.records.erase(log.records.begin());
  CHECK(judgement_of(log).verdict == VerdictKind::violated);
}

// The third one is denied where a window that the first one opened would end: only the admission
// before it explains that, and then forbids the last one.
TEST_CASE("a window of a first hit is over at its last instant") {
  Log log = log_by("1/6us first-hit");
  add_request(log, Outcome::denied, 8, 8, 2);
  add_request(log, Outcome::allowed, 13, 13);
  add_request(log, Outcome::denied, 14, 14);
  add_request(log, Outcome::allowed, 15, 15);
  CHECK(judgement_of(log).verdict == VerdictKind::violated);
  log.records[2].sent_us = log.records[2].received_us = 13;
  CHECK(judgement_of(log).verdict == VerdictKind::holds);
}

// The first one belongs to a window from before the log, the second one opens one, the third
// another.
TEST_CASE("closed windows are sliding ones") {
  Log log = log_by("1/5us first-hit");
  add_request(log, Outcome::allowed, 4, 6);
  add_request(log, Outcome::allowed, 4, 6);
  add_request(log, Outcome::allowed, 10, 10);
  JudgeOptions options;
  options.closed = true;
  CHECK(judge_rules(log, log.policy.rules, options).verdict != VerdictKind::violated);
  log.policy = policy_of(parse_rules("1/5us", "--policy"));
  CHECK(judge_rules(log, log.policy.rules, options).verdict == VerdictKind::violated);
}

TEST_CASE("a bucket that has room only when it is taken explains a denial") {
  Log log = log_by("bucket 2 + 1/1s");
  add_request(log, Outcome::allowed, 0, 0);
  add_request(log, Outcome::allowed, 0, 0);
  add_request(log, Outcome::denied, kSecondUs / 2, kSecondUs);
  add_request(log, Outcome::allowed, kSecondUs, kSecondUs);
  const Judgement judgement = judgement_of(log);
  CHECK(judgement.verdict == VerdictKind::holds);
  CHECK(judgement.totals.accuracy_low == 100);
}

// The second admission is too early for the first rule, or too late for the second one.
TEST_CASE("the witness of one rule is none for both") {
  Log log = log_by("2/7us & 1/3us fixed+1us");
  add_request(log, Outcome::allowed, 4, 4);
  add_request(log, Outcome::allowed, 8, 12);
  add_request(log, Outcome::allowed, 10, 10);
  add_request(log, Outcome::denied, 9, 12);
  const Judgement judgement = judgement_of(log);
  CHECK(judgement.verdict == VerdictKind::violated);
  CHECK(judgement.totals.proof == Proof::undetermined);
}

// Before the admission in the same us the first rule has room for it, and the second one has not.
TEST_CASE("of two rules, one that may have had room starts no block") {
  Log log = log_by("2/4us, block 20us & 2/10us");
  add_request(log, Outcome::allowed, 0, 0);
  add_request(log, Outcome::denied, 9, 9, 2);
  add_request(log, Outcome::allowed, 9, 9);
  add_request(log, Outcome::allowed, 20, 20);
  CHECK(judgement_of(log).verdict == VerdictKind::holds);
  log.records[2].sent_us = log.records[2].received_us = 8;
  const Judgement judgement = judgement_of(log);
  CHECK(judgement.verdict == VerdictKind::violated);
  CHECK(judgement.totals.proof == Proof::block);
}

// What filled the first rule has just gone, and what fills it now may have come after the denial.
TEST_CASE("of two rules, one that was emptied in that instant starts no block") {
  Log log = log_by("2/5us, block 20us & 3/10us");
  add_request(log, Outcome::allowed, 0, 0, 2);
  add_request(log, Outcome::denied, 5, 5, 2);
  add_request(log, Outcome::allowed, 5, 5);
  add_request(log, Outcome::allowed, 12, 12);
  CHECK(judgement_of(log).verdict == VerdictKind::holds);
}

// Each may lie in one of two windows at most phases, and three fit into three windows at a few.
TEST_CASE("no order at one phase is no proof against the others") {
  Log log = log_by("1/10us fixed+?");
  for (int i = 0; i < 3; ++i) add_request(log, Outcome::allowed, 0, 12);
  const Judgement judgement = judgement_of(log);
  CHECK(judgement.totals.over_admission == OverAdmission::possible);
  CHECK(judgement.verdict == VerdictKind::inconclusive);
}

TEST_CASE("a block that may have begun explains a denial at its last instant") {
  Log log = log_by("1/1s, block 4s");
  add_request(log, Outcome::allowed, 0, 200'000);
  add_request(log, Outcome::denied, 100'000, 100'000);
  add_request(log, Outcome::denied, 100'000 + 4 * kSecondUs, 100'000 + 4 * kSecondUs);
  CHECK(judgement_of(log).verdict == VerdictKind::holds);
  log.records[2].sent_us = ++log.records[2].received_us;
  CHECK(judgement_of(log).totals.certain_false_denials == std::vector<std::uint32_t>{2});
}

TEST_CASE("a denial at the end of an older block begins none for certain") {
  Log log = log_by("1/1s, block 2s");
  add_request(log, Outcome::denied, 5 * kSecondUs, 5 * kSecondUs);
  add_request(log, Outcome::allowed, 5 * kSecondUs, 5 * kSecondUs);
  add_request(log, Outcome::allowed, 6'500'000, 6'500'000);
  CHECK(judgement_of(log, false).totals.admitted_in_blocks == 0);
  CHECK(judgement_of(log).totals.admitted_in_blocks == 1);
}

TEST_CASE("what was reserved explains a denial, even if less was used") {
  Log log = log_by("5/1s");
  log.has_finishes = true;
  Finish finish{100, 100};
  finish.actual_cost = 1;
  log.set_finish(0, finish);
  add_request(log, Outcome::allowed, 0, 0, 5);
  add_request(log, Outcome::denied, 50, 50);
  CHECK(judgement_of(log).totals.certain_false_denials.empty());
  log.records[0].cost = 4;
  CHECK(judgement_of(log).totals.certain_false_denials.size() == 1);
}

TEST_CASE("an admission is right if every rule is sure of it") {
  Log log = log_by("10/1s & 1/10s");
  add_request(log, Outcome::allowed, 0, 0);
  add_request(log, Outcome::allowed, 9'900'000, 10'100'000);
  const Judgement judgement = judgement_of(log);
  CHECK(judgement.totals.right == 1);
  CHECK(judgement.totals.undecided == 1);
}

TEST_CASE("denials that no order explains together with the admissions are a violation") {
  Log log = log_by("1/6us");
  add_request(log, Outcome::denied, 1, 7);
  add_request(log, Outcome::allowed, 5, 11);
  add_request(log, Outcome::denied, 11, 13);
  CHECK(judgement_of(log).verdict != VerdictKind::violated);
  add_request(log, Outcome::denied, 16, 16);
  const Judgement judgement = judgement_of(log);
  CHECK(judgement.totals.certain_false_denials.empty());
  CHECK(judgement.verdict == VerdictKind::violated);
}

TEST_CASE("denials that only denials explain do not hold") {
  Log log = log_by("1/1s, denied count");
  for (int i = 0; i < 20; ++i)
    add_request(log, Outcome::denied, i * kSecondUs / 2, i * kSecondUs / 2);
  const Verdict verdict = judge(log, {});
  CHECK(verdict.verdict == VerdictKind::inconclusive);
  CHECK(verdict.reason ==
        "no request was admitted: a limiter that denies everything looks like this");
}
