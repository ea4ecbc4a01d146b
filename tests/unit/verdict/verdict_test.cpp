// Each test changes one thing in a history, and the verdict must change with it.
#include "verdict/verdict.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "base/units.h"
#include "verdict/notes.h"

namespace {

using namespace rlctl;

void add(Log& log, Outcome outcome, std::int64_t sent_us, std::int64_t took_us = 0,
         std::int64_t server_us = kNoTime) {
  Record record;
  record.intended_us = record.sent_us = sent_us;
  record.received_us = sent_us + took_us;
  record.server_us = server_us;
  record.outcome = outcome;
  log.records.push_back(record);
}

// 3 per second: 3 admitted and 1 denied at the start of each of two seconds.
Log sound_log() {
  Log log;
  log.keys = {"k"};
  log.policy = policy_of({Rule{.limit = 3, .window_us = kSecondUs}});
  for (const std::int64_t second : {0, 1}) {
    for (const std::int64_t i : {0, 1, 2}) add(log, Outcome::allowed, second * kSecondUs + i, 0);
    add(log, Outcome::denied, second * kSecondUs + 3, 0);
  }
  return log;
}

JudgeOptions fresh() {
  JudgeOptions options;
  options.fresh = true;
  return options;
}

Log bursts_around(std::int64_t edge_us, RuleKind kind) {
  Log log = sound_log();
  log.records.clear();
  log.contract = log.policy.rules;
  log.contract[0].kind = kind;
  add(log, Outcome::allowed,
      edge_us - kSecondUs);  // opens an anchored window that ends at the edge
  add(log, Outcome::allowed, edge_us - 20);
  add(log, Outcome::allowed, edge_us - 10);
  add(log, Outcome::denied, edge_us - 5);
  for (const std::int64_t i : {1, 2, 3}) add(log, Outcome::allowed, edge_us + i);
  add(log, Outcome::denied, edge_us + 5);
  return log;
}

}  // namespace

TEST_CASE("a correct history holds") {
  const Verdict verdict = judge(sound_log(), fresh());
  CHECK(verdict.verdict == VerdictKind::holds);
  CHECK_FALSE(verdict.own.has_value());
  CHECK(verdict.policy.totals.accuracy_low == 100);
  CHECK(verdict.policy.totals.accuracy_high == 100);
  CHECK(verdict.policy.totals.burst_factor == 1);
  CHECK(verdict.policy.totals.slack_us == 0);
  CHECK(verdict.reason == "no decision broke the rule");
}

TEST_CASE("the peak of a bucket is a multiple of its capacity and the refill of a window") {
  Log log;
  log.keys = {"k"};
  log.policy = policy_of(
      {Rule{.kind = RuleKind::bucket, .limit = 10, .window_us = kSecondUs, .capacity = 10}});
  for (std::int64_t i = 0; i < 10; ++i) add(log, Outcome::allowed, 0);
  for (std::int64_t i = 1; i < 10; ++i) add(log, Outcome::allowed, i * kSecondUs / 10);
  add(log, Outcome::denied, kSecondUs - 1);
  const Verdict verdict = judge(log, fresh());
  CHECK(verdict.verdict == VerdictKind::holds);
  CHECK(verdict.policy.totals.peak == 19);
  CHECK(verdict.policy.totals.burst_factor == doctest::Approx(0.95));
}

TEST_CASE("one admission too many changes holds to violated, with a window to check by hand") {
  Log log = sound_log();
  add(log, Outcome::allowed, 500'000);
  const Verdict verdict = judge(log, fresh());
  CHECK(verdict.verdict == VerdictKind::violated);
  CHECK(verdict.policy.violations.over_admission);
  CHECK_FALSE(verdict.policy.violations.false_denial);
  const Figures& totals = verdict.policy.totals;
  CHECK(totals.excess_certain == 1);
  CHECK(totals.max_certain == 4);
  CHECK(totals.worst_window.from_us == 0);
  CHECK(totals.worst_window.to_us == 500'000);
  CHECK(totals.worst_window.records == std::vector<std::uint32_t>{0, 1, 2, 8});
  CHECK(totals.slack_us == kSecondUs - 500'000);
  CHECK(totals.accuracy_high < 100);
  CHECK(verdict.reason.find("4 admissions within") == 0);
}

TEST_CASE("one wrong denial changes holds to violated, unless that many are tolerated") {
  Log log = sound_log();
  log.records[5].outcome = Outcome::denied;
  JudgeOptions options = fresh();
  const Verdict verdict = judge(log, options);
  CHECK(verdict.verdict == VerdictKind::violated);
  CHECK(verdict.policy.violations.false_denial);
  CHECK_FALSE(verdict.policy.violations.over_admission);
  CHECK(verdict.policy.totals.certain_false_denials == std::vector<std::uint32_t>{5, 7});
  options.allowed_false_denials = 0.7;
  CHECK(judge(log, options).verdict == VerdictKind::holds);
  options.allowed_false_denials = 0.6;
  CHECK(judge(log, options).verdict == VerdictKind::violated);
}

TEST_CASE("a run that did not reach its end proves what it broke, and never that it holds") {
  Log log = sound_log();
  log.stopped = "it was interrupted";
  const Verdict open = judge(log, fresh());
  CHECK(open.verdict == VerdictKind::inconclusive);
  CHECK(open.reason == "the run did not reach its end: it was interrupted");
  add(log, Outcome::allowed, 500'000);
  CHECK(judge(log, fresh()).verdict == VerdictKind::violated);
}

TEST_CASE(
    "a part of a run says of no denial that it was wrong, and of no admission that it was right") {
  Log log = sound_log();
  log.records[5].outcome = Outcome::denied;
  add(log, Outcome::allowed, 2'500'000);
  log.shard = "1/2";
  const Verdict verdict = judge(log, fresh());
  CHECK(verdict.verdict == VerdictKind::inconclusive);
  const auto check = [](const Figures& figures) {
    CHECK(figures.certain_false_denials.empty());
    CHECK(figures.right == 0);
    CHECK(figures.wrong == 0);
    CHECK(figures.undecided == figures.decisions);
    CHECK(figures.accuracy_low == 0);
    CHECK(figures.accuracy_high == 100);
  };
  check(verdict.policy.totals);
  REQUIRE(verdict.policy.keys.size() == 1);
  check(verdict.policy.keys.front().figures);
}

TEST_CASE("a run without denials is inconclusive, or violated if it admitted too much") {
  Log log = sound_log();
  log.records.erase(log.records.begin() + 7);
  log.records.erase(log.records.begin() + 3);
  CHECK(judge(log, fresh()).verdict == VerdictKind::inconclusive);
  add(log, Outcome::allowed, 5);
  CHECK(judge(log, fresh()).verdict == VerdictKind::violated);
}

TEST_CASE("a limiter that denies everything does not hold") {
  Log log = sound_log();
  log.records.resize(4);  // all in one window
  for (Record& record : log.records) record.outcome = Outcome::denied;
  CHECK(judge(log).verdict == VerdictKind::inconclusive);
  CHECK(judge(log, fresh()).verdict == VerdictKind::violated);
  log.policy.rules[0].limit = 0;
  CHECK(judge(log, fresh()).verdict == VerdictKind::holds);
}

TEST_CASE("a target that is down most of the time does not hold") {
  Log log = sound_log();
  add(log, Outcome::failed, 5 * kSecondUs);
  CHECK(judge(log, fresh()).verdict == VerdictKind::holds);
  JudgeOptions options = fresh();
  options.budgets.failed_share = 0.12;
  CHECK(judge(log, options).verdict == VerdictKind::holds);  // 1 of 9
  options.budgets.failed_share = 0.11;
  const Verdict verdict = judge(log, options);
  CHECK(verdict.verdict == VerdictKind::inconclusive);
  CHECK(verdict.reason == "1 of 9 requests failed before it was decided: the budget is 11 %");
  CHECK(std::ranges::count(verdict.notes, "1 of 9 requests failed before it was decided") == 1);
}

TEST_CASE("the remedy for a budget that is used up is one of whoever asked for the verdict") {
  Log log = sound_log();
  add(log, Outcome::failed, 5 * kSecondUs);
  JudgeOptions options = fresh();
  options.budgets.failed_share = 0.11;
  const auto remedy = [&](SetBy set_by) {
    options.set_by = set_by;
    return judge(log, options).remedy;
  };
  CHECK(remedy(SetBy::verify) == "keep the target up, or raise --budget-failed");
  CHECK(remedy(SetBy::simulate) ==
        "keep the target up, or judge the log of --log with rlctl verify --budget-failed SHARE");
  CHECK(remedy(SetBy::scenario) ==
        R"(keep the target up, or raise the scenario's budget: "budget": {"failed": "SHARE"})");
  CHECK(setting("--max-inflight", options) == R"("max_inflight")");
}

TEST_CASE("a log in which nothing was decided asks for the reason, and not for a budget") {
  Log log = sound_log();
  for (Record& record : log.records) record.outcome = Outcome::failed;
  JudgeOptions options = fresh();
  options.budgets.failed_share = 0.01;
  const Verdict failed = judge(log, options);
  CHECK(failed.reason == "8 of 8 requests failed before they were decided");
  CHECK(failed.remedy == "find out why the target decided none of them");
  CHECK(failed.notes.front() == "no request was decided");
  for (Record& record : log.records) record.outcome = Outcome::unknown;
  CHECK(judge(log, options).reason == "all requests have an unknown outcome");
  log.records[0].status = 502;
  CHECK(judge(log, options).reason ==
        "all requests have an unknown outcome (no status: 7, status 502: 1)");
}

TEST_CASE("a status of an answer that was cut short is not asked what it means") {
  Log log = sound_log();
  for (Record& record : log.records) record.status = 200;
  log.records[0].outcome = Outcome::unknown;
  JudgeOptions options = fresh();
  options.budgets.unknown_share = 0.01;
  CHECK(judge(log, options).remedy.starts_with("set what these codes mean with --allowed"));
  log.records[0].received_us = kNoTime;
  CHECK(judge(log, options).remedy.starts_with("find out why they got no answer, or "));
  for (Record& record : log.records) {
    record.outcome = Outcome::unknown;
    record.received_us = kNoTime;
  }
  CHECK(judge(log, options).reason == "all requests have an unknown outcome");
}

TEST_CASE("a status that nobody named may be why nothing was admitted, or nothing denied") {
  const auto doubt = [](Outcome replaced, std::uint16_t status, const JudgeOptions& options) {
    Log log = sound_log();
    for (Record& record : log.records)
      if (record.outcome == replaced) {
        record.outcome = Outcome::unknown;
        record.status = status;
      }
    return judge(log, options);
  };
  JudgeOptions options = fresh();
  const Verdict no_admission = doubt(Outcome::allowed, 302, options);
  CHECK(no_admission.reason ==
        "no request was admitted, and 6 were answered with status 302, which is neither allowed "
        "nor denied");
  CHECK(no_admission.remedy == "add --allowed 2xx,302 if it admits");
  CHECK(doubt(Outcome::denied, 503, options).remedy == "add --denied 429,503 if it denies");
  // An application answers with it: that is no denial.
  CHECK(doubt(Outcome::denied, 500, options).remedy.starts_with("send more than 3 within 1s"));
  CHECK(doubt(Outcome::allowed, 500, options).remedy ==
        "say what it means with --allowed or --denied");
  options.set_by = SetBy::scenario;
  CHECK(doubt(Outcome::denied, 503, options).remedy ==
        R"(add "denied": ["429", "503"] if it denies)");
}

TEST_CASE("times that are too coarse for the window settle nothing, unless they prove too many") {
  Log log = sound_log();
  for (Record& record : log.records) record.received_us = record.sent_us + kSecondUs - 1;
  const Verdict verdict = judge(log, fresh());
  CHECK(verdict.verdict == VerdictKind::inconclusive);
  CHECK(verdict.reason ==
        "the times are too coarse for 3 per 1s: 1s may have held 1 to 6 admissions");
  log.policy.rules[0].window_us = 10 * kSecondUs;
  CHECK(judge(log, fresh()).verdict == VerdictKind::violated);
}

TEST_CASE("the rule that broke is named, of several") {
  Log log = sound_log();
  log.policy = policy_of(
      {Rule{.limit = 100, .window_us = kSecondUs}, Rule{.limit = 5, .window_us = 60 * kSecondUs}});
  const Verdict verdict = judge(log, fresh());
  CHECK(verdict.verdict == VerdictKind::violated);
  CHECK(verdict.policy.totals.rule == 1);
  CHECK(verdict.reason.starts_with("6 admissions within 1.00 s, but the limit is 5 per 1m"));
  REQUIRE(verdict.policy.by_rule.size() == 2);
  CHECK(verdict.policy.by_rule[0].over_admission == OverAdmission::none);
  CHECK(verdict.policy.by_rule[1].max_certain == 6);
}

TEST_CASE("an empty log is inconclusive") {
  Log log = sound_log();
  log.records.clear();
  CHECK(judge(log).verdict == VerdictKind::inconclusive);
}

TEST_CASE("a run over budget is inconclusive") {
  Log log = sound_log();
  add(log, Outcome::unknown, 4 * kSecondUs);
  log.records[0].intended_us -= kSecondUs;
  CHECK(judge(log, fresh()).verdict == VerdictKind::holds);
  JudgeOptions options = fresh();
  options.budgets.unknown_share = 0.1;
  CHECK(judge(log, options).verdict == VerdictKind::inconclusive);
  options.budgets.unknown_share = 0.2;
  CHECK(judge(log, options).verdict == VerdictKind::holds);
  options.budgets.late_share = 0.1;
  CHECK(judge(log, options).verdict == VerdictKind::inconclusive);
  options.budgets.late_after_us = 2 * kSecondUs;
  CHECK(judge(log, options).verdict == VerdictKind::holds);
  options.budgets.dropped_share = 0.1;
  CHECK(judge(log, options).verdict == VerdictKind::holds);
  log.played = {{.name = "rush", .dropped = 1}, {.name = "calm", .dropped = 1}};
  CHECK(judge(log, options).verdict == VerdictKind::inconclusive);
}

TEST_CASE("a denial near the beginning is unverifiable unless the key was fresh") {
  Log log = sound_log();
  log.records[2].outcome = Outcome::denied;
  const Verdict used = judge(log);
  // Both denials of the log: most could not be checked.
  CHECK(used.policy.totals.unverifiable_denials == 2);
  CHECK(used.verdict == VerdictKind::inconclusive);
  CHECK(used.reason == "2 of 3 denials could not be checked: earlier requests may explain them");
  INFO(used.remedy);
  CHECK(used.remedy.ends_with("or use a log in which keys rest for 1.00 s"));
  CHECK(judge(log, fresh()).verdict == VerdictKind::violated);
  JudgeOptions options;
  options.history_from_us = -kSecondUs;
  CHECK(judge(log, options).verdict == VerdictKind::violated);
}

TEST_CASE("a fixed window keeps its own contract and violates the policy") {
  Log log = bursts_around(7 * kSecondUs, RuleKind::fixed);
  const Verdict verdict = judge(log, fresh());
  REQUIRE(verdict.own.has_value());
  CHECK(verdict.own->verdict == VerdictKind::holds);
  CHECK(verdict.policy.verdict == VerdictKind::violated);
  CHECK(verdict.verdict == VerdictKind::violated);
  CHECK(verdict.policy.totals.peak == 5);
  CHECK(verdict.own->totals.peak == 5);
  log.contract[0].phase_us.reset();
  CHECK(judge(log, fresh()).own->verdict == VerdictKind::holds);
  log.contract[0].phase_us = 500'000;
  CHECK(judge(log, fresh()).own->verdict == VerdictKind::violated);
}

TEST_CASE("an anchored window keeps its own contract and violates the policy") {
  Log log = bursts_around(7'300'000, RuleKind::first_hit);
  for (Record& record : log.records) record.server_us = record.sent_us;
  const Verdict verdict = judge(log, fresh());
  CHECK(verdict.own->verdict == VerdictKind::holds);
  CHECK(verdict.policy.verdict == VerdictKind::violated);
  add(log, Outcome::allowed, 7'300'010, 0, 7'300'010);
  CHECK(judge(log, fresh()).own->violations.over_admission);
  CHECK(judge(log, fresh()).own->totals.excess_certain == 1);
}

TEST_CASE("if a key was in use before, an anchored window may have begun before the log") {
  Log log = bursts_around(7 * kSecondUs, RuleKind::first_hit);
  log.records.clear();
  for (const std::int64_t ms : {0, 300, 600, 900, 950}) add(log, Outcome::allowed, ms * 1000);
  CHECK(judge(log, fresh()).own->violations.over_admission);
  CHECK_FALSE(judge(log).own->violations.over_admission);
}

TEST_CASE("within the tolerance an anchored window may or may not have expired") {
  Log log = bursts_around(7 * kSecondUs, RuleKind::first_hit);
  log.records[4].sent_us = log.records[4].received_us = 7 * kSecondUs - 3;
  CHECK(judge(log, fresh()).own->violations.over_admission);
  JudgeOptions options = fresh();
  options.tolerance_us = 4;
  CHECK(judge(log, options).own->verdict == VerdictKind::holds);
}

TEST_CASE("a block explains denials during its length and no longer") {
  Log log = sound_log();
  log.records.resize(4);  // the last one is denied at 3 us
  add(log, Outcome::denied, 3 + 4 * kSecondUs);
  CHECK(judge(log, fresh()).policy.violations.false_denial);
  log.policy.rules[0].block_us = 4 * kSecondUs;
  CHECK(judge(log, fresh()).verdict == VerdictKind::holds);
  CHECK(judge(log, fresh()).policy.totals.right == 5);
  log.policy.rules[0].block_us -= 1;
  CHECK(judge(log, fresh()).policy.violations.false_denial);
}

TEST_CASE("an admission during a block that certainly runs is a violation") {
  Log log = sound_log();  // denied at 3 us and at 1 s + 3 us
  log.policy.rules[0].block_us = kSecondUs / 2;
  CHECK(judge(log, fresh()).verdict == VerdictKind::holds);
  log.policy.rules[0].block_us =
      kSecondUs;  // the block of the first denial covers the second burst
  const Verdict verdict = judge(log, fresh());
  CHECK(verdict.verdict == VerdictKind::violated);
  CHECK(verdict.policy.totals.proof == Proof::block);
  CHECK(verdict.policy.totals.admitted_in_blocks == 3);
  CHECK(verdict.reason == "3 requests were admitted during a block of 1s after a denial");
  JudgeOptions options = fresh();
  options.tolerance_us = 5;
  CHECK(judge(log, options).verdict == VerdictKind::holds);
}

TEST_CASE("keys are judged one by one, and totals are their sum and their worst") {
  Log log = sound_log();
  log.keys.push_back("other");
  for (Record record : sound_log().records) {
    record.key = 1;
    log.records.push_back(record);
  }
  CHECK(judge(log, fresh()).verdict == VerdictKind::holds);
  add(log, Outcome::allowed, 10);
  log.records.back().key = 1;
  const Verdict verdict = judge(log, fresh());
  REQUIRE(verdict.policy.keys.size() == 2);
  CHECK(verdict.policy.keys[0].key == 1);
  CHECK(verdict.policy.keys[1].figures.over_admission == OverAdmission::none);
  CHECK(verdict.policy.totals.operations == 17);
  CHECK(verdict.policy.totals.max_certain == 4);
  CHECK(verdict.policy.totals.proof == Proof::containment);
}

TEST_CASE("a key with a wrong denial comes before a busy key that is sound") {
  Log log = sound_log();
  log.keys.push_back("wronged");
  add(log, Outcome::denied, 5 * kSecondUs);
  log.records.back().key = 1;
  const Verdict verdict = judge(log, fresh());
  REQUIRE(verdict.policy.keys.size() == 2);
  CHECK(verdict.policy.keys[0].key == 1);
}

TEST_CASE("server stamps decide cases that the times of sending and receiving leave open") {
  Log log = sound_log();
  log.records.clear();
  const std::int64_t ahead = 123'456'789;
  for (const std::int64_t i : {0, 1, 2}) add(log, Outcome::allowed, i, 900, i + 450 + ahead);
  add(log, Outcome::denied, 3, 900, 453 + ahead);
  add(log, Outcome::allowed, kSecondUs + 300, 900, kSecondUs + 449 + ahead);
  CHECK(judge(log, fresh()).verdict == VerdictKind::violated);
  JudgeOptions options = fresh();
  options.use_server_stamps = false;
  CHECK(judge(log, options).verdict == VerdictKind::holds);
  CHECK(judge(log, options).policy.totals.proof == Proof::witness);
  log.records.back().server_us += 1;
  CHECK(judge(log, fresh()).verdict == VerdictKind::holds);
}

TEST_CASE("a clock step is reported, and its stamps are not used") {
  Log log = sound_log();
  for (Record& record : log.records) record.server_us = record.sent_us;
  log.records[4].server_us += 5'000;
  const Verdict verdict = judge(log, fresh());
  CHECK(verdict.verdict == VerdictKind::holds);
  bool named = false;
  for (const std::string& note : verdict.notes) {
    named = named || note.find("stepped or drifted by 5.00 ms") != std::string::npos;
  }
  CHECK(named);
}

TEST_CASE("a failed operation does not count, and overlapping ones are in flight") {
  Log log = sound_log();
  const std::int64_t before = judge(log, fresh()).policy.totals.operations;
  add(log, Outcome::failed, 10, 1000);
  CHECK(judge(log, fresh()).policy.totals.operations == before);
  CHECK(judge(log, fresh()).policy.totals.failed == 1);
  CHECK(most_in_flight(log) == 1);
  add(log, Outcome::denied, 100, 50);
  add(log, Outcome::denied, 140, 50);
  add(log, Outcome::denied, 150, 50);
  CHECK(most_in_flight(log) == 2);
}

TEST_CASE("a log without policy and contract is a usage error") {
  Log log = sound_log();
  log.policy.rules.clear();
  CHECK_THROWS_AS(judge(log), Error);
  log = sound_log();
  JudgeOptions options;
  options.tolerance_us = kSecondUs;
  CHECK_THROWS_AS(judge(log, options), Error);
  log.records[0].sent_us = log.records[0].received_us = kNoTime;
  CHECK_THROWS_AS(judge(log), Error);
}
