#include "verdict/outcome/header_truth.h"

#include <doctest/doctest.h>

#include "base/units.h"

using namespace rlctl;

namespace {

// Sent at this second, answered 10 ms later.
Record asked(double at_s, Outcome outcome, double retry_after_s = -1, std::uint32_t key = 0) {
  Record record;
  record.sent_us = static_cast<std::int64_t>(at_s * 1e6);
  record.intended_us = record.sent_us;
  if (outcome <= Outcome::denied) record.received_us = record.sent_us + 10'000;
  if (retry_after_s >= 0) record.retry_after_us = static_cast<std::int64_t>(retry_after_s * 1e6);
  record.outcome = outcome;
  record.key = key;
  return record;
}

Record told(double at_s, Outcome outcome, std::int32_t remaining) {
  Record record = asked(at_s, outcome);
  record.remaining = remaining;
  return record;
}

Log log_of(std::vector<Record> records) {
  Log log;
  log.keys = {"a", "b"};
  log.policy = policy_of({Rule{.limit = 10, .window_us = 60 * kSecondUs}});
  log.records = std::move(records);
  return log;
}

constexpr Outcome kAllowed = Outcome::allowed;
constexpr Outcome kDenied = Outcome::denied;

}  // namespace

TEST_CASE("a client that waits as told and is admitted shows that the promise was true") {
  const KeptPromises promises =
      check_promises(log_of({asked(0, kDenied, 3), asked(3.01, kAllowed), asked(4, kDenied, 9)}));
  CHECK(promises.tested == 1);
  CHECK(promises.broken == 0);
  CHECK(promises.error_us == 0);
}

TEST_CASE("a client that waits as told and is denied again shows how much was missing") {
  // The header said 3 s, rounded down from 3.4. At 3.2 there are 0.2 left, and it says 1.
  const KeptPromises promises =
      check_promises(log_of({asked(0, kDenied, 3), asked(3.21, kDenied, 1), asked(4.5, kAllowed)}));
  CHECK(promises.tested == 2);
  CHECK(promises.broken == 1);
  CHECK(promises.breaks == std::vector<std::uint32_t>{1});
  CHECK(promises.error_us == 1'200'000);
}

// It was answered within 10 ms, at an instant that is not known.
TEST_CASE("a promise is broken by more than the round trip and the clock's 1 ms") {
  const Log log = log_of({asked(0, kDenied, 3), asked(3.010042, kDenied)});
  CHECK(check_promises(log).tested == 0);
  const KeptPromises late = check_promises(log_of({asked(0, kDenied, 3), asked(3.022, kDenied)}));
  CHECK(late.broken == 1);
  CHECK(late.tolerance_us == 11'000);
}

TEST_CASE("a client that returns before the time proves nothing") {
  CHECK(check_promises(log_of({asked(0, kDenied, 3), asked(3.005, kDenied, 1)})).tested == 0);
  CHECK(check_promises(log_of({asked(0, kDenied), asked(3, kDenied)})).tested == 0);
}

TEST_CASE("a promise is not tested if another client of the key may have taken the place") {
  const Record denial = asked(10, kDenied, 3);
  const Record test = asked(14, kDenied, 3);
  CHECK(check_promises(log_of({denial, asked(12, kAllowed), test})).tested == 0);
  CHECK(check_promises(log_of({asked(9.995, kAllowed), denial, test})).tested == 0);
  CHECK(check_promises(log_of({denial, test, asked(14.005, kAllowed)})).tested == 0);
  CHECK(check_promises(log_of({asked(1, Outcome::unknown), denial, test})).tested == 0);
  CHECK(check_promises(log_of({asked(1, Outcome::failed), denial, test})).tested == 1);
  CHECK(check_promises(log_of({denial, asked(12, kAllowed, -1, 1), test})).tested == 1);
}

// Not only by the 50 ms to the next request.
TEST_CASE("the denials of who obeys every promise show how wrong the first one was") {
  std::vector<Record> records{asked(0, kAllowed)};
  for (int i = 1; i <= 35; ++i) records.push_back(asked(0.05 * i, kDenied, 0));
  records.push_back(asked(1.8, kAllowed));
  const KeptPromises promises = check_promises(log_of(records));
  CHECK(promises.tested == 35);
  CHECK(promises.broken == 34);
  CHECK(promises.error_us == 1'690'000);  // from the answer at 0.06 to 1.75
  CHECK(promises.breaks.front() == 2);
  const std::vector<HeaderFinding> findings = header_findings(log_of(records), {});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].words ==
        "clients that waited for Retry-After were denied again, 34 of 35 times: it is too short by "
        "up to 1.69 s");
  records.resize(5);
  CHECK(header_findings(log_of(records), {})
            .front()
            .words.ends_with("up to 140 ms (seconds rounded down?)"));
}

TEST_CASE("who returns too early may have prolonged the denial: the promise is not to blame") {
  CHECK(check_promises(log_of({asked(0, kDenied, 1), asked(0.5, kDenied, 1), asked(1.2, kDenied, 1),
                               asked(5, kAllowed)}))
            .broken == 0);
  // At 4.25 as told, and then too early.
  const KeptPromises late = check_promises(
      log_of({asked(0, kDenied, 4), asked(4.25, kDenied, 1), asked(4.75, kDenied, 1)}));
  CHECK(late.error_us == 1'240'000);
}

TEST_CASE("a Retry-After that is far too long is shown by an admission before its time") {
  const KeptPromises promises = check_promises(log_of(
      {asked(0, kDenied, 60), asked(1, kDenied, 60), asked(2, kAllowed), asked(3, kDenied, 60)}));
  CHECK(promises.early == 1);
  CHECK(promises.early_us == 58'990'000);
  CHECK(promises.early_records == std::vector<std::uint32_t>{2});
  // Whole seconds, relative to a Date that has no others.
  CHECK(check_promises(log_of({asked(0, kDenied, 3), asked(1.1, kAllowed)})).early == 0);
  Record dear = asked(0, kDenied, 60);
  dear.cost = 5;  // what costs less may pass
  CHECK(check_promises(log_of({dear, asked(2, kAllowed)})).early == 0);
}

TEST_CASE("verify tells only of headers, and of logs that are whole") {
  Log log = log_of({asked(0, kDenied, 60), asked(2, kAllowed)});
  CHECK(waits_in(log).early == 0);  // by a script: there is no status
  log.records[0].status = 429;
  CHECK(waits_in(log).early == 1);
  log.cut = "it ends after 2 records";
  CHECK(waits_in(log).early == 0);
}

TEST_CASE("promises can be counted for a part of the requests") {
  const Log log = log_of({asked(0, kDenied, 3), asked(4, kDenied, 3), asked(8, kAllowed)});
  const auto late = [](const Record& record) { return record.sent_us > 5 * kSecondUs; };
  CHECK(check_promises(log).tested == 2);
  CHECK(check_promises(log, late).tested == 1);
  CHECK(check_promises(log, late).broken == 0);
}

TEST_CASE("a policy in a header is judged like any other") {
  HeaderClaims claims;
  claims.policies.push_back({"burst", 2, 60 * kSecondUs, "requests"});
  std::vector<HeaderFinding> findings =
      header_findings(log_of({asked(1, kAllowed), asked(2, kAllowed), asked(3, kAllowed)}), claims);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::untrue);
  CHECK(findings[0].words ==
        "RateLimit-Policy 'burst' says 2 per 1m, but 3 were admitted in one such window");
  CHECK(findings[0].records == std::vector<std::uint32_t>{0, 1, 2});
  findings = header_findings(log_of({asked(1, kAllowed), asked(70, kDenied, 5)}), claims);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::untrue);
  claims.policies.push_back({"size", 1, 60 * kSecondUs, "content-bytes"});
  findings = header_findings(log_of({asked(1, kAllowed), asked(70, kDenied, 5)}), claims);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::hint);
}

TEST_CASE("a policy in a header is judged with the tolerance of the verdict") {
  HeaderClaims claims;
  claims.policies.push_back({"burst", 2, 60 * kSecondUs, "requests"});
  // Answered 0.7 ms before the first one's window of a minute ends.
  Log log = log_of({asked(1, kAllowed), asked(2, kAllowed), asked(60.9893, kAllowed)});
  CHECK(header_findings(log, claims).size() == 1);
  log.terms.tolerance_us = 1'000;
  CHECK(header_findings(log, claims).empty());
}

TEST_CASE("`remaining` must fall with each admission") {
  std::vector<Record> stuck;
  for (int i = 0; i < 5; ++i) stuck.push_back(told(0.1 * i, kAllowed, 9));
  const std::vector<HeaderFinding> findings = header_findings(log_of(stuck), {});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::untrue);
  CHECK(findings[0].words == "the remaining count did not fall after an admission, 3 times");
  std::vector<Record> falling;
  for (int i = 0; i < 5; ++i) falling.push_back(told(0.1 * i, kAllowed, 9 - i));
  falling.push_back(told(0.6, kAllowed, 9));  // an aligned window's edge
  CHECK(header_findings(log_of(falling), {}).empty());
}

TEST_CASE("a denial after a positive `remaining` is only a hint") {
  const auto findings = header_findings(log_of({told(0, kAllowed, 4), told(1, kDenied, 0)}), {});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::hint);
}

namespace {

// With nothing left for `reset_s`.
Record emptied(double at_s, Outcome outcome, std::uint32_t reset_s, double retry_after_s = -1) {
  Record record = asked(at_s, outcome, retry_after_s);
  record.remaining = 0;
  record.reset_ms = reset_s * 1'000;
  return record;
}

std::vector<std::string> words_of(std::vector<Record> records) {
  std::vector<std::string> words;
  for (const HeaderFinding& finding : header_findings(log_of(std::move(records)), {}))
    if (finding.kind == FindingKind::untrue) words.push_back(finding.words);
  return words;
}

}  // namespace

TEST_CASE("a client that waits for a reset must be admitted") {
  CHECK(words_of({emptied(0, kAllowed, 30), asked(30.02, kAllowed)}).empty());
  CHECK(words_of({emptied(0, kAllowed, 30), asked(29.9, kDenied)}).empty());
  CHECK(words_of({emptied(0, kAllowed, 30), asked(30.02, kDenied)}).empty());  // a round trip
  CHECK(words_of({emptied(0, kAllowed, 30), asked(30.03, kDenied), emptied(40, kAllowed, 5),
                  asked(46, kAllowed)}) ==
        std::vector<std::string>{
            "clients that waited for the reset of an exhausted limit were denied, 1 of 2 times"});
  // Retry-After is longer, as during a block.
  CHECK(words_of({emptied(0, kDenied, 30, 60), asked(30.03, kDenied)}).empty());
  CHECK(words_of({emptied(0, kDenied, 30, 10), asked(30.03, kDenied)}).size() == 2);
}

TEST_CASE("if nothing remains until a reset, no request may be admitted before it") {
  CHECK(words_of({emptied(0, kDenied, 30), asked(12, kAllowed)}) ==
        std::vector<std::string>{
            "an exhausted limit admitted a request before its reset, once: up to 18.0 s early"});
  CHECK(words_of({emptied(0, kDenied, 30), asked(28.5, kAllowed)}).empty());  // whole seconds
  CHECK(words_of({emptied(0, kDenied, 30), asked(12, kDenied)}).empty());
  // Two requests at the same time: the other one may have got a different header.
  CHECK(words_of({emptied(0, kDenied, 30), asked(11.995, kDenied), asked(12, kAllowed)}).empty());
}

TEST_CASE("headers that break the specification are reported, the worst first") {
  HeaderClaims claims;
  RateLimitFields fields;
  fields.retry_after_us = 0;
  fields.limits.push_back({"a", 0, 5 * kSecondUs});
  fields.malformed.push_back("RateLimit-Policy");
  claims.note(fields, Outcome::denied);
  claims.note({}, Outcome::denied);
  HeaderClaims other;
  other.note(fields, Outcome::denied);
  claims.add(other);
  CHECK(claims.responses == 3);
  CHECK(claims.denials == 3);
  const auto findings =
      header_findings(log_of({asked(0, kDenied, 1), asked(2, kDenied, 1)}), claims);
  REQUIRE(findings.size() == 5);
  CHECK(findings[0].kind == FindingKind::untrue);
  for (std::size_t i = 1; i < 4; ++i) CHECK(findings[i].kind == FindingKind::breach);
  CHECK(findings[1].words == "'RateLimit-Policy' is malformed and must be ignored, 2 times");
  CHECK(findings[4].kind == FindingKind::hint);
  CHECK(findings[4].words == "1 denial had no Retry-After and no reset");
  CHECK(std::string(name_of(findings[4].kind)) == "hint");
}

TEST_CASE("what a service says of its limit is compared with the rules that were found") {
  const Log log = log_of({asked(0, kAllowed)});
  const auto claim = [](std::int64_t quota, std::int64_t window_us = kNoTime) {
    return QuotaPolicy{"", quota, window_us};
  };
  const Rules five{Rule{.limit = 5, .window_us = kSecondUs}};
  const auto words_of_claim = [&](std::vector<QuotaPolicy> claimed, const Rules& found) {
    HeaderClaims claims;
    claims.policies = std::move(claimed);
    const std::vector<HeaderFinding> findings = header_findings(log, claims, found);
    return findings.empty() ? "" : findings.front().words;
  };
  CHECK(words_of_claim({claim(100)}, five) ==
        "the field of the limit says 100, but 5 per 1s was found: the limit differs");
  CHECK(words_of_claim({claim(5)}, five) == "the field of the limit says 5, and that was found");
  CHECK(words_of_claim({claim(5, kSecondUs)}, five) ==
        "RateLimit-Policy says 5 per 1s, and that was found");
  CHECK(words_of_claim({claim(5, kMinuteUs)}, five) ==
        "RateLimit-Policy says 5 per 1m, but 5 per 1s was found: the window differs");
  CHECK(words_of_claim({claim(100)}, {}).empty());
  CHECK(words_of_claim({claim(5), claim(1'000)}, five).ends_with(", and that was found"));
  const Rules odd{Rule{.limit = 5, .window_us = 1'500'000}};  // told in whole seconds, rounded up
  CHECK(words_of_claim({claim(5, 2 * kSecondUs)}, odd).ends_with(", and that was found"));
  CHECK(words_of_claim({claim(5, kSecondUs)}, odd).ends_with(": the window differs"));
  const Rules bucket{
      Rule{.kind = RuleKind::bucket, .limit = 10, .window_us = kSecondUs, .capacity = 20}};
  CHECK(words_of_claim({claim(20)}, bucket).ends_with(", and that was found"));
  CHECK(words_of_claim({claim(10, kSecondUs)}, bucket).ends_with(", and that was found"));
  CHECK(words_of_claim({claim(30)}, bucket).ends_with(": the limit differs"));
  Rules blocked = five;
  blocked.front().window_us = 3 * kSecondUs;  // not known, but no longer
  blocked.front().block_us = 3 * kSecondUs;
  CHECK(words_of_claim({claim(5, kSecondUs)}, blocked).ends_with(", and that was found"));
  CHECK(words_of_claim({claim(9, kSecondUs)}, blocked) ==
        "RateLimit-Policy says 9 per 1s, but a limit of 5 was found: the limit differs");
}

// Twice the limit about an edge is what such windows do, not a lie.
TEST_CASE("a window of the clock that was found as claimed tells the truth") {
  HeaderClaims claims;
  claims.policies = {QuotaPolicy{"default", 2, kSecondUs}};
  const Log log = log_of({asked(0.8, kAllowed), asked(0.9, kAllowed), asked(1.1, kAllowed),
                          asked(1.2, kAllowed), asked(1.3, kDenied, 0.7)});
  REQUIRE(header_findings(log, claims).front().kind == FindingKind::untrue);
  for (const RuleKind kind : {RuleKind::fixed, RuleKind::first_hit}) {
    const Rules found{Rule{.kind = kind, .limit = 2, .window_us = kSecondUs}};
    const std::vector<HeaderFinding> findings = header_findings(log, claims, found);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == FindingKind::agrees);
    CHECK(findings[0].words == "RateLimit-Policy 'default' says 2 per 1s, and that was found");
  }
}

// The denials of a penalty are no lies about the limit.
TEST_CASE("a service that says its limit, and not its penalty, tells the truth") {
  Log log = log_of({});
  for (int i = 0; i < 5; ++i) log.records.push_back(asked(i * 0.02, kAllowed));
  log.records.push_back(asked(0.2, kDenied));
  log.records.push_back(asked(2.5, kDenied));
  log.records.push_back(asked(3.3, kAllowed));
  HeaderClaims claims;
  claims.policies = {QuotaPolicy{"default", 5, kSecondUs}};
  REQUIRE(header_findings(log, claims).size() == 1);  // what it was called before
  log.policy.block_us = 3 * kSecondUs;
  CHECK(header_findings(log, claims).empty());
}
