// A cluster: each key is decided by the clock of its own node.
#include <doctest/doctest.h>

#include <algorithm>

#include "verdict/algorithm/clock_offset.h"
#include "verdict/verdict.h"

using namespace rlctl;

namespace {

constexpr std::int64_t kAMs = 1'000;
constexpr std::int64_t kASecond = 1'000'000;

// Answered 20 ms after it was sent, decided 2 ms after it was sent.
void add_decision(Log& log, std::uint32_t key, std::int64_t sent_us, std::int64_t ahead_us,
                  Outcome outcome) {
  Record record;
  record.key = key;
  record.sent_us = record.intended_us = sent_us;
  record.received_us = sent_us + 20 * kAMs;
  set_server_stamps(record, sent_us + 2 * kAMs + ahead_us, sent_us + 2 * kAMs + ahead_us);
  record.outcome = outcome;
  log.records.push_back(record);
}

// One a second. Only the servers' times tell that the second admission was late enough.
Log two_keys(std::int64_t ahead_us) {
  Log log;
  log.policy = policy_of({Rule{.limit = 1, .window_us = kASecond}});
  log.servers = 2;
  log.keys = {"a", "b"};
  for (const std::uint32_t key : {0U, 1U}) {
    const std::int64_t ahead = key == 0 ? 0 : ahead_us;
    add_decision(log, key, 10 * kASecond, ahead, Outcome::allowed);
    add_decision(log, key, 10 * kASecond + 100 * kAMs, ahead, Outcome::denied);
    add_decision(log, key, 11 * kASecond + 5 * kAMs, ahead, Outcome::allowed);
  }
  return log;
}

Verdict judged_fresh(const Log& log) {
  JudgeOptions options;
  options.fresh = true;
  return judge(log, options);
}

bool notes_say(const Verdict& verdict, const char* words) {
  return std::ranges::any_of(verdict.notes, [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("nodes whose clocks differ are judged each by its own, and the difference is told") {
  Log log = two_keys(3 * kASecond);
  const Verdict verdict = judged_fresh(log);
  CHECK(verdict.policy.verdict == VerdictKind::holds);
  CHECK(notes_say(verdict, "judged by the server's times of 6 decisions"));
  CHECK(notes_say(verdict,
                  "the clocks of the servers differ by 2.98 s or more: that of the key "
                  "'b' is ahead of that of 'a'"));
  CHECK(notes_say(judged_fresh(two_keys(-3 * kASecond)), "that of the key 'a' is ahead"));
  log.servers = 1;  // the same stamps of one server: its clock stepped
  CHECK(notes_say(judged_fresh(log), "a clock stepped or drifted"));
  CHECK_FALSE(notes_say(judged_fresh(two_keys(0)), "the clocks of the servers differ"));
}

TEST_CASE("a key that went on at a server with another clock is judged by our times") {
  Log log = two_keys(0);
  add_decision(log, 1, 12 * kASecond + 50 * kAMs, 40 * kASecond, Outcome::allowed);
  const ClockOffset offset = clock_offset(log);
  CHECK(offset.stepped_keys == 1);
  CHECK_FALSE(offset.usable());
  const Verdict verdict = judged_fresh(log);
  CHECK(notes_say(verdict, "1 key by the times of sending and answer"));
  CHECK(verdict.policy.verdict != VerdictKind::violated);
}
