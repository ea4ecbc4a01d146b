// Until when an unanswered request explains later denials.
#include "verdict/algorithm/unanswered.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "policy/rules_text.h"
#include "verdict/verdict.h"

using namespace rlctl;

namespace {

constexpr std::int64_t kSecond = 1'000'000;

Record sent_at(std::int64_t sent_us, Outcome outcome) {
  Record record;
  record.sent_us = sent_us;
  record.received_us = outcome == Outcome::unknown ? kNoTime : sent_us + 1'000;
  record.outcome = outcome;
  return record;
}

// One request gets no answer; then 199 are denied, one each 10 s.
Log one_lost_then_denied() {
  Log log;
  log.run_id = "r";
  log.timeout_us = 2 * kSecond;
  log.keys = {"k"};
  log.policy = policy_of(parse_rules("1/5s", "policy"));
  log.records.push_back(sent_at(0, Outcome::unknown));
  for (int i = 1; i < 200; ++i) log.records.push_back(sent_at(10 * kSecond * i, Outcome::denied));
  return log;
}

Verdict verdict_on(const Log& log) {
  JudgeOptions options;
  options.fresh = true;
  return judge(log, options);
}

bool says(const Verdict& verdict, const char* words) {
  return std::ranges::any_of(verdict.notes, [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("on one Redis, two later answers bound an unanswered request") {
  Log log = one_lost_then_denied();
  log.server = "redis 7.0.15";
  const Verdict verdict = verdict_on(log);
  CHECK(verdict.policy.verdict == VerdictKind::violated);
  // The second later answer came at 20 s: it explains the denials until 5 s after that.
  CHECK(verdict.policy.totals.certain_false_denials.size() == 197);
  CHECK_FALSE(says(verdict, "assumed"));
  log.servers = 3;  // of a cluster: what one has answered says nothing of another
  CHECK(says(verdict_on(log), "assumed"));
}

TEST_CASE("elsewhere the bound is an assumption, and said") {
  const Log log = one_lost_then_denied();
  const Verdict verdict = verdict_on(log);
  CHECK(verdict.policy.totals.certain_false_denials.size() == 199);
  CHECK(says(verdict,
             "assumed: a request with an unknown outcome was decided at most 1.00 ms after"));
}

TEST_CASE("a log of somebody else has no bound without --max-inflight") {
  Log log = one_lost_then_denied();
  log.run_id.clear();
  CHECK(verdict_on(log).policy.totals.certain_false_denials.empty());
}
