#include <doctest/doctest.h>

#include <random>

#include "log/log_encoder.h"
#include "log/log_parser.h"
#include "unit/log/encoded_log.h"

namespace rlctl {
namespace {

using Random = std::mt19937_64;

std::string random_bytes(Random& random) {
  static const std::vector<std::string> kPieces{"user:1",    "=",
                                                "+",         "-",
                                                "@",         "'",
                                                "\"",        ",",
                                                ";",         "\t",
                                                "\n",        "\r",
                                                "\x1b[2J",   " ",
                                                "\\",        "\\x41",
                                                "é",         "\xff",
                                                "\xc3",      "{",
                                                "}",         "null",
                                                "#",         "\x7f",
                                                "漢",        "\xe2\x80\xae",
                                                "key_b64",   "a b",
                                                "</script>", std::string(1, '\0')};
  std::string bytes;
  for (std::size_t i = random() % 5; i > 0; --i) bytes += kPieces[random() % kPieces.size()];
  return bytes;
}

std::int64_t maybe(Random& random, std::int64_t value) {
  return random() % 3 == 0 ? kNoTime : value;
}

JudgingTerms random_terms(Random& random) {
  JudgingTerms terms;
  terms.fresh = random() % 2 == 0;
  terms.fresh_is_promised = terms.fresh && random() % 2 == 0;
  if (random() % 2 == 0) terms.max_inflight_us = random() % 9;
  terms.held_at_least_us = random() % 9;
  terms.tolerance_us = random() % 9;
  terms.allowed_false_denials = static_cast<double>(random() % 100) / 99;
  return terms;
}

Budgets random_budgets(Random& random) {
  Budgets budgets = kUsualBudgets;
  if (random() % 2 == 0) budgets.failed_share = 1;
  if (random() % 2 == 0) budgets.late_share.reset();
  if (random() % 2 == 0) budgets.late_after_us = 7;
  return budgets;
}

Log random_log(Random& random) {
  Log log;
  log.algorithm = random_bytes(random);
  log.history = random_bytes(random);
  log.run_id = random_bytes(random);
  log.command = random_bytes(random);
  log.seed = random();
  if (random() % 2 == 0) log.stopped = "it was interrupted";
  log.policy = policy_of({Rule{.limit = 100, .window_us = 60'000'000},
                          Rule{.kind = RuleKind::bucket,
                               .limit = 5,
                               .window_us = 1'000'000,
                               .capacity = static_cast<std::int64_t>(random() % 3),
                               .block_us = static_cast<std::int64_t>(random() % 3)}});
  log.policy.key = random_bytes(random);
  log.contract = {Rule{.kind = RuleKind::fixed,
                       .limit = 5,
                       .window_us = 1'000'000,
                       .counts_denied = random() % 2 == 0}};
  if (random() % 2 == 0) log.contract[0].phase_us.reset();
  if (random() % 2 == 0)
    log.contract.push_back(Rule{.kind = RuleKind::in_flight, .limit = 5, .lease_us = 7});
  if (random() % 2 == 0)
    log.contract.push_back(Rule{.kind = RuleKind::bucket,
                                .limit = 5,
                                .window_us = 1'000'000,
                                .capacity = 9,
                                .step_us = 2'000'000});
  log.has_finishes = random() % 2 == 0;
  log.terms = random_terms(random);
  if (random() % 2 == 0) log.budgets = random_budgets(random);
  for (int i = 0; i < 5; ++i) log.keys.push_back(std::to_string(i) + random_bytes(random));
  for (int i = 0; i < 5; ++i)
    log.keys[static_cast<std::size_t>(i)] = random_bytes(random) + std::to_string(i);
  log.identities = {random_bytes(random) + "a", random_bytes(random) + "b"};
  log.phases = {random_bytes(random) + "a", "b"};
  if (random() % 2 == 0) log.targets = {random_bytes(random) + "a", random_bytes(random) + "b"};
  for (std::size_t i = random() % 50; i > 0; --i) {
    Record record;
    record.sent_us = static_cast<std::int64_t>(random() % 2'000'000'000'000'000);
    record.received_us = maybe(random, record.sent_us + static_cast<std::int64_t>(random() % 1000));
    record.server_us = maybe(random, record.sent_us);
    if (record.server_us > kLongestServerSpanUs && random() % 2 == 0)
      record.server_span_us = static_cast<std::uint16_t>(random());
    record.intended_us = maybe(random, record.sent_us - record.sent_us % 1000);
    record.retry_after_us = maybe(random, 12);
    record.key = static_cast<std::uint32_t>(random() % 5);
    record.who = static_cast<std::uint16_t>(random() % 2);
    record.phase = static_cast<std::uint8_t>(random() % 2);
    if (!log.targets.empty()) record.target = random() % 2;
    record.cost = 1 + static_cast<std::uint32_t>(random() % 3);
    record.remaining = static_cast<std::int32_t>(random() % 4) - 1;
    record.status = random() % 2 == 0 ? 429 : 0;
    record.outcome = static_cast<Outcome>(random() % 4);
    if (log.has_finishes && random() % 2 == 0) {
      Finish finish{record.sent_us + static_cast<std::int64_t>(random() % 1000)};
      finish.received_us = maybe(random, finish.sent_us + 5);
      finish.actual_cost = static_cast<std::int64_t>(random() % 4) - 1;
      log.set_finish(log.records.size(), finish);
    }
    log.records.push_back(record);
  }
  return log;
}

// In pieces that split lines anywhere.
ParsedLogs parsed(std::string_view text, Random& random) {
  LogParser parser{LogReadOptions()};
  parser.begin_file("test.log", text.size());
  while (!text.empty()) {
    const std::size_t length = std::min<std::size_t>(1 + random() % 200, text.size());
    parser.feed(text.substr(0, length));
    text.remove_prefix(length);
  }
  parser.end_file();
  return parser.finish();
}

bool same_numbers(const Record& a, const Record& b) {
  return a.sent_us == b.sent_us && a.received_us == b.received_us && a.server_us == b.server_us &&
         a.server_span_us == b.server_span_us && a.intended_us == b.intended_us &&
         a.retry_after_us == b.retry_after_us && a.cost == b.cost && a.remaining == b.remaining &&
         a.status == b.status && a.outcome == b.outcome;
}

void check_same(const Log& written, const Log& read) {
  CHECK(read.algorithm == written.algorithm);
  CHECK(read.history == written.history);
  CHECK(read.run_id == written.run_id);
  CHECK(read.command == written.command);
  CHECK(read.seed == written.seed);
  CHECK(read.stopped == written.stopped);
  CHECK(read.policy.rules == written.policy.rules);
  CHECK(read.policy.key == written.policy.key);
  CHECK(read.contract == written.contract);
  if (!written.records.empty()) CHECK((read.targets.size() > 1) == (written.targets.size() > 1));
  CHECK(read.has_finishes == written.has_finishes);
  CHECK(read.terms == written.terms);
  CHECK(read.budgets == written.budgets);
  REQUIRE(read.records.size() == written.records.size());
  for (std::size_t i = 0; i < read.records.size(); ++i) {
    const Record& a = written.records[i];
    const Record& b = read.records[i];
    CAPTURE(i);
    CHECK(same_numbers(a, b));
    CHECK(written.finish_of(i) == read.finish_of(i));
    CHECK(read.keys[b.key] == written.keys[a.key]);
    CHECK(read.identities[b.who] == written.identities[a.who]);
    CHECK(read.phases[b.phase] == written.phases[a.phase]);
    if (written.targets.size() > 1) CHECK(read.targets[b.target] == written.targets[a.target]);
  }
}

TEST_CASE("a written log reads back the same, with any keys") {
  Random random(20261121);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const Log log = random_log(random);
    for (const LogFormat format : {LogFormat::json_lines, LogFormat::csv}) {
      CAPTURE(static_cast<int>(format));
      const ParsedLogs logs = parsed(encoded(format, log), random);
      REQUIRE(logs.histories.size() == 1);
      CHECK(logs.bad_lines == 0);
      check_same(log, logs.histories[0].log);
    }
  }
}

TEST_CASE("several algorithms in one file are several histories") {
  Random random(1);
  Log first = random_log(random);
  Log second = random_log(random);
  first.algorithm = "fixed";
  second.algorithm = "sliding";
  for (const LogFormat format : {LogFormat::json_lines, LogFormat::csv}) {
    const ParsedLogs logs = parsed(encoded(format, first) + encoded(format, second), random);
    REQUIRE(logs.histories.size() == 2);
    check_same(first, logs.histories[0].log);
    check_same(second, logs.histories[1].log);
  }
}

TEST_CASE("each record knows its line") {
  Log log;
  log.keys = {"k"};
  Record record;
  record.sent_us = record.received_us = 5;
  record.outcome = Outcome::allowed;
  log.records = {record, record};
  std::string text = encoded(LogFormat::json_lines, log);
  text.erase(text.find("{\"rlctl_log_end\""));
  text += "\n\n" + text.substr(text.find('\n') + 1);
  Random random(2);
  const ParsedLogs logs = parsed(text, random);
  REQUIRE(logs.histories.size() == 1);
  const ParsedHistory& history = logs.histories[0];
  CHECK(history.lines.line_of(0).line == 2);
  CHECK(history.lines.line_of(1).line == 3);
  CHECK(history.lines.line_of(2).line == 6);
  CHECK(logs.place_of(history, 3) == "test.log:7");
}

}  // namespace
}  // namespace rlctl
