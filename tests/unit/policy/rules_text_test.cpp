// Rules as people write them: every kind, and the mistakes with their places.
#include "policy/rules_text.h"

#include <doctest/doctest.h>

#include "base/error.h"

using namespace rlctl;

namespace {

// The rules as text again.
std::string again(const std::string& text, const std::optional<RuleNumbers>& names = {}) {
  TextMistake mistake;
  const auto rules = read_rules(text, mistake, names);
  INFO(text << ": " << mistake.what);
  REQUIRE(rules);
  return rules_text(*rules);
}

// The underlined part of the text, and what is wrong with it.
std::string mistake_in(const std::string& text) {
  TextMistake mistake;
  CHECK_FALSE(read_rules(text, mistake));
  const SourceSpan span = mistake.span;
  return "'" + (span.begin < text.size() ? text.substr(span.begin, span.end - span.begin) : "") +
         "' " + mistake.what + "; " + mistake.hint;
}

}  // namespace

TEST_CASE("every kind of rule is read and written back") {
  for (const std::string text :
       {"100/1m", "100/1m fixed", "100/1m fixed+15s", "100/1m fixed+?", "100/1m first-hit",
        "5 in flight", "5 in flight, lease 30s & 10/1s", "bucket 20 + 10/1s",
        "bucket 20 + 10/1s by steps of 1s", "bucket 20 + 600/1m by steps of 100ms, denied count",
        "10/1s, per user & 20/1s, per ip/64", "5 in flight, per route.id", "20/1m, block 1m",
        "20/1m, denied count, block 1h",
        "10/1s & 500/1h first-hit & bucket 3 + 1/1s, denied count"})
    CHECK(again(text) == text);
  for (const RuleRow& row : kRuleRows) {
    const Rules rules = parse_rules(row.grammar, "--policy");
    REQUIRE(rules.size() == 1);
    CHECK(rules[0].kind == row.meaning);
  }
}

TEST_CASE("blanks do not matter, and a unit alone is one of it") {
  CHECK(again(" 100 / 1m  fixed + 15s,block 1m&bucket 2+1/s ") ==
        "100/1m fixed+15s, block 1m & bucket 2 + 1/1s");
  CHECK(again("none").empty());
}

TEST_CASE("a manifest names the numbers of the policy") {
  const RuleNumbers numbers{20, 60'000'000, 30, 0};
  CHECK(again("limit/window", numbers) == "20/1m");
  CHECK(again("limit in flight, lease window", numbers) == "20 in flight, lease 1m");
  CHECK(again("bucket capacity + limit/window", numbers) == "bucket 30 + 20/1m");
  CHECK(again("bucket capacity + limit/window by steps of window", numbers) ==
        "bucket 30 + 20/1m by steps of 1m");
}

TEST_CASE("the block of the policy is added to each rule that has none") {
  const RuleNumbers numbers{5, 1'000'000, 5, 9'000'000};
  CHECK(again("limit/window & 7/1m, block 2s", numbers) == "5/1s, block 9s & 7/1m, block 2s");
}

TEST_CASE("a step refills a whole number") {
  const std::string hint = "; write it like 'bucket 20 + 10/1s by steps of 1s'";
  CHECK(mistake_in("bucket 20 + 10/1s by steps of 30ms") ==
        "'30ms' a step does not refill a whole number" + hint);
  CHECK(mistake_in("bucket 20 + 10/1s by 1s") == "'1s' 'by' without 'steps of'" + hint);
}

TEST_CASE("a window of a bucket has room for what it holds and for each refill in it") {
  const auto most = [](const char* text) { return most_in_window(parse_rules(text, "rules")); };
  CHECK(most("10/1s") == 10);
  CHECK(most("5 in flight") == 5);
  CHECK(most("bucket 10 + 10/1s") == 20);
  CHECK(most("bucket 10 + 10/1s & 15/3s") == 15);
  Rule steps{.kind = RuleKind::bucket, .limit = 10, .window_us = 1'000'000, .capacity = 10};
  steps.step_us = 300'000;
  CHECK(steps.most_in_window() == 10 + 4 * 3);
  steps.step_us = 3'000'000;
  CHECK(steps.most_in_window() == 10 + 10);
}

TEST_CASE("a mistake is underlined, with the nearest rule") {
  CHECK(mistake_in("bucket 20 + 10") ==
        "'' the limit has no window; write it like 'bucket 20 + "
        "10/1s'");
  CHECK(mistake_in("bucket 20/1s") ==
        "'/' a bucket has a capacity and a refill; write it like 'bucket 20 + 10/1s'");
  CHECK(mistake_in("100/1m fixd") ==
        "'fixd' 'fixd' is not a kind of window; did you mean 'fixed'?");
  CHECK(mistake_in("10/1m sliding").ends_with("; leave it out: '10/1m' is a sliding window"));
  for (const char* bucket : {"10/1s burst 20", "10/1s, burst 20", "10/1s token-bucket"})
    CHECK(mistake_in(bucket).find("; write a bucket like 'bucket 20 + 10/1s'") !=
          std::string::npos);
  CHECK(mistake_in("100/60") == "'60' the window: '60' has no unit; write 5s, 500ms or 1m30s");
  const std::string units = "; the units are d, h, m, s, ms and us";
  CHECK(mistake_in("5/1µs") == "'1µs' the window: '1µs' has the unknown unit 'µs'" + units);
  CHECK(mistake_in("5/min") ==
        "'min' the window: 'min' is not a unit; write a number and a unit, as "
        "in '100/1m'; the units are d, h, m, s, ms and us");
  CHECK(mistake_in("20/1m, blok 60s").starts_with("'blok' this is not a modifier; "));
  CHECK(mistake_in("20/1m 5").starts_with("'5' this is not part of a rule; a rule is, "));
  CHECK(mistake_in("99999999999999999999/1m").starts_with("'99999999999999999999' "));
  CHECK(mistake_in("limit/window").starts_with("'limit' the limit is not a whole number; "));
  CHECK(mistake_in("5 in fligt") == "'in' the limit has no window; write it like '5 in flight'");
  CHECK(mistake_in("5 in flight, block 1s") ==
        "'block' this is not a modifier of such a rule; its modifiers are ', lease 30s' and ', per "
        "user'");
  const std::string per = "; name what it counts by: ', per user', ', per ip/64'";
  CHECK(mistake_in("5/1s, per") == "'' 'per' has no name" + per);
  CHECK(mistake_in("5/1s, per ip/x") == "'ip/x' the prefix is not a number from 1 to 128" + per);
  CHECK(mistake_in("5/1s, lease 1s").starts_with("'lease' this is not a modifier; "));
  CHECK(mistake_in("").starts_with("'' the limit is not a whole number; "));
}

TEST_CASE("a rule in other words is told how it is written here") {
  const std::pair<const char*, const char*> hints[] = {
      {"20 per 1m in any window", "; write a rate like '100/1m': "},
      {"20 per 1m of the clock", "; write a rate like '100/1m': "},
      {"100 per minute", "; write a rate like '100/1m': "},
      {"20 in 1m", "; write a rate like '100/1m': "},
      {"20 in 10s", "; write a rate like '100/1m': "},
      {"100 Requests Per Minute", "; write a rate like '100/1m': "},
      {"10 TPS", "; write a rate like '100/1m': "},
      {"100 req/s", "; write a rate like '100/1m': "},
      {"100 requests per hour", "; write a rate like '100/1m': "},
      {"20/min", "; write a number and a unit, as in '100/1m'; the units are "},
      {"20/hour", "; write a number and a unit, "},
      {"20/minute", "; write a number and a unit, "},
      {"20/minutes", "; write a number and a unit, "},
      {"20/hr fixed", "; write a number and a unit, "},
      {"20/window", "; write a number and a unit, "},
      {"10r/s", "; write a rate like '100/1m': "},
      {"10 r/s", "; write a rate like '100/1m': "},
      {"10rps", "; write a rate like '100/1m': "},
      {"20 reqs/1m", "; write a rate like '100/1m': "},
      {"bucket 20r + 10/1s", "; write it like 'bucket 20 + 10/1s'"},
      {"20/1m window", "; leave it out: "},
      {"20/1m in any window", "; leave it out: "},
      {"20/1m of the clock", "; write '20/1m fixed' "},
      {"20/1m and 3/1s", "; write '&' between rules: "},
      {"10/1m, 5/1s", "; write '&' between rules: "},
      {"1,000/1m", "; write a number without commas, like 1000/1m"},
      {"20/1m & ", "a rule is missing after '&'; "},
  };
  for (const auto& [text, hint] : hints) {
    const std::string told = mistake_in(text);
    CAPTURE(told);
    CHECK(told.find(hint) != std::string::npos);
  }
}

TEST_CASE("a modifier without a comma is told to need one") {
  const std::string comma = "write a comma before it: ";
  CHECK(mistake_in("10/1s per client_ip") ==
        "'per' 'per' is not a kind of window; " + comma + "10/1s, per client_ip");
  CHECK(mistake_in("20/1m  block 60s & 5/1s").ends_with("; " + comma + "20/1m, block 60s & 5/1s"));
  CHECK(mistake_in("10/1s fixed denied count").ends_with(comma + "10/1s fixed, denied count"));
  CHECK(mistake_in("bucket 20 + 10/1s per user").ends_with(comma + "bucket 20 + 10/1s, per user"));
  CHECK(mistake_in("10/1s, per user block 60s").ends_with(comma + "10/1s, per user, block 60s"));
  CHECK(mistake_in("5 in flight lease 30s").ends_with(comma + "5 in flight, lease 30s"));
  CHECK(mistake_in("10/1s per \x1b[2J").ends_with(comma + "10/1s, per \\x1b[2J"));
}

TEST_CASE("an option shows its text, and a caret under the mistake") {
  try {
    parse_rules("20/1m, \x1b[31mx", "--policy");
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    CHECK(
        std::string(error.what()) ==
        "--policy: this is not a modifier\n  20/1m, \\x1b[31mx\n         ^^^^\n  the modifiers are "
        "', denied count', ', block 60s' and ', per user'");
  }
}

TEST_CASE("a rule that no limiter can enforce is named") {
  CHECK(unusable({.limit = 0, .window_us = 1'000'000}));
  CHECK(unusable({.limit = 1, .window_us = 999}));
  CHECK(unusable({.limit = kMostCapacity / 1'000, .window_us = 1'001}));
  CHECK_FALSE(unusable({.limit = 1, .window_us = 1'000}));
  CHECK(unusable({.kind = RuleKind::bucket, .limit = 1, .window_us = 1'000, .capacity = 0}));
}
