#include "report/picture/run_picture.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/units.h"
#include "log/record.h"
#include "report/picture/latency_curve.h"
#include "report/picture/window_fill.h"
#include "verdict/outcome/envelope.h"
#include "verdict/rule_judges.h"

using namespace rlctl;

namespace {

Record decision_at(std::int64_t us, Outcome outcome) {
  Record record;
  record.intended_us = us - 20;
  record.sent_us = us - 10;
  record.received_us = us + 10;
  record.server_us = us;
  record.outcome = outcome;
  return record;
}

// 3 at the end of a window of the clock and 3 at the beginning of the next, with 3 per second.
Log boundary_burst() {
  Log log;
  log.policy = policy_of({Rule{.limit = 3, .window_us = kSecondUs}});
  log.contract = {Rule{RuleKind::fixed, 3, kSecondUs}};
  log.keys = {"k"};
  for (std::int64_t i = 0; i < 3; ++i) {
    log.records.push_back(decision_at(100 * kSecondUs - 3'000 + i * 1'000, Outcome::allowed));
    log.records.push_back(decision_at(100 * kSecondUs + i * 1'000, Outcome::allowed));
  }
  log.records.push_back(decision_at(100 * kSecondUs + 4'000, Outcome::denied));
  return log;
}

std::vector<Placement> instants(std::initializer_list<std::int64_t> times) {
  std::vector<Placement> placed;
  for (const std::int64_t us : times) placed.push_back({us, us, 1, 0});
  return placed;
}

Rule contract(RuleKind kind, std::int64_t capacity = 0) {
  Rule promised{kind, 10, kSecondUs};
  promised.capacity = capacity;
  return promised;
}

}  // namespace

TEST_CASE("a burst over an edge fills the window that ends after it to twice the limit") {
  const Log log = boundary_burst();
  const RunPicture picture = picture_of(log, judge(log), {});
  REQUIRE(picture.close_up);
  CHECK(std::ranges::max(picture.close_up->fill) == 6);
  CHECK(picture.close_up->limit == 3);
  CHECK(picture.close_up->window_from_us == 100 * kSecondUs - 3'000);
  CHECK(picture.close_up->window_to_us == 100 * kSecondUs + 2'000);
}

TEST_CASE("the envelope rises above the policy's line and not above the fixed window's own") {
  const Log log = boundary_burst();
  const RunPicture picture = picture_of(log, judge(log), {});
  bool above = false;
  for (const PromisedPoint& point : picture.envelope) {
    REQUIRE(point.own);
    above = above || point.admissions > point.policy;
    CHECK(point.admissions <= *point.own);
  }
  CHECK(above);
}

TEST_CASE("the maximum that a contract admits in a span, for any start") {
  const auto promised = [](const Rule& made, std::int64_t us) { return most_promised({made}, us); };
  CHECK(promised(contract(RuleKind::sliding), 0) == 10);
  CHECK(promised(contract(RuleKind::sliding), kSecondUs - 1) == 10);
  CHECK(promised(contract(RuleKind::sliding), kSecondUs) == 20);
  CHECK(promised(contract(RuleKind::fixed), 0) == 10);
  CHECK(promised(contract(RuleKind::fixed), 1) == 20);
  CHECK(promised(contract(RuleKind::fixed), kSecondUs) == 20);
  CHECK(promised(contract(RuleKind::fixed), kSecondUs + 1) == 30);
  CHECK(promised(contract(RuleKind::first_hit), 1) == 20);
  CHECK(promised(contract(RuleKind::bucket, 5), 0) == 5);
  CHECK(promised(contract(RuleKind::bucket, 5), kSecondUs / 2) == 10);
  // Of several rules, the strictest counts.
  const Rules both{contract(RuleKind::sliding), contract(RuleKind::bucket, 5)};
  CHECK(most_promised(both, 0) == 5);
  CHECK(most_promised(both, kSecondUs - 1) == 10);
  CHECK(shortest_span(both, 5) == 0);
  CHECK(shortest_span(both, 10) == kSecondUs / 2);
  CHECK(shortest_span(both, 11) == kSecondUs);
}

TEST_CASE("a contract over a century does not overflow") {
  Rule made = contract(RuleKind::sliding);
  made.limit = std::int64_t{1} << 53;
  made.window_us = 1;
  CHECK(most_promised({made}, kSecondUs * 3'000'000'000) ==
        std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("the current window is half open: an admission of age W is no longer in it") {
  Timeline timeline;
  timeline.start_us = 0;
  timeline.slice_us = 100;
  timeline.slices.resize(12);
  const auto fill = window_fill(instants({0, 50, 1'000}), 1'000, timeline);
  CHECK(fill[0] == 2);
  CHECK(fill[5] == 2);
  CHECK(fill[9] == 2);
  CHECK(fill[10] == 2);  // at 1,000 the first has expired and the third has come
  CHECK(fill[11] == 1);
}

TEST_CASE("an interval is added when it has ended, and removed when it may have expired") {
  Timeline timeline;
  timeline.slice_us = 100;
  timeline.slices.resize(12);
  const auto fill = window_fill({{0, 350, 2, 0}}, 1'000, timeline);
  CHECK(fill[2] == 0);
  CHECK(fill[3] == 2);
  CHECK(fill[9] == 2);
  CHECK(fill[11] == 0);
}

TEST_CASE("what possibly lies in a window is not mixed with what certainly does") {
  Timeline timeline;
  timeline.slice_us = 100;
  timeline.slices.resize(30);
  const std::vector<Placement> blurred{{0, 900, 1, 0}, {500, 1'400, 1, 1}, {1'300, kOpenEnd, 1, 2}};
  CHECK(window_fill(blurred, 1'000, timeline)[14] == 1);
  const auto possible = possible_fill(blurred, 1'000, timeline);
  CHECK(possible[4] == 1);
  CHECK(possible[14] == 3);
  CHECK(possible[29] == 1);
  const PossibleWindow fullest = fullest_possible(blurred, 1'000);
  CHECK(fullest.from_us == 300);
  CHECK(fullest.to_us == 1'300);
  CHECK(fullest.count == 3);
  CHECK(most_possible(blurred, 399) == 2);
  CHECK(most_possible(blurred, 400) == 3);
}

TEST_CASE("a picture of an inconclusive log shows the window that possibly holds the most") {
  Log log = boundary_burst();
  for (std::size_t i = 0; i < log.records.size(); ++i) {
    log.records[i].server_us = kNoTime;
    log.records[i].sent_us -= 600'000;
    log.records[i].received_us += 600'000;
  }
  const Verdict verdict = judge(log);
  REQUIRE(verdict.policy.totals.over_admission == OverAdmission::possible);
  const RunPicture picture = picture_of(log, verdict, {});
  REQUIRE(picture.close_up);
  const CloseUp& close_up = *picture.close_up;
  CHECK(close_up.over == OverAdmission::possible);
  CHECK(std::ranges::max(close_up.fill) <= 3);
  CHECK(std::ranges::max(close_up.possible) == 6);
  CHECK(close_up.possible_records.size() == 6);
  CHECK(close_up.window_to_us - close_up.window_from_us == kSecondUs);
  CHECK(picture.envelope.front().possible == 6);
  const RunPicture proven = picture_of(boundary_burst(), judge(boundary_burst()), {});
  CHECK(proven.close_up->over == OverAdmission::certain);
  CHECK(proven.close_up->possible.empty());
  CHECK_FALSE(proven.envelope.front().possible);
}

TEST_CASE("exact and blurred admissions have the same envelope if there is no blur") {
  History exact;
  exact.admitted = instants({0, 10, 20, 500, 510, 2'000});
  History blurred = exact;
  blurred.admitted.back().high_us += 1;  // no longer an instant: the general code path
  for (const std::int64_t span : {0, 10, 20, 500, 510, 3'000}) {
    const std::int64_t spans[] = {span};
    CHECK(envelope(std::span(&exact, 1), spans).front().admissions ==
          envelope(std::span(&blurred, 1), spans).front().admissions);
  }
}

TEST_CASE("the envelope is that of the worst key") {
  History one;
  one.admitted = instants({0, 1'000, 2'000, 3'000, 4'000});
  History other;
  other.admitted = instants({0, 1, 2});
  const std::vector<History> both{one, other};
  const std::int64_t spans[] = {2, 4'000};
  const auto points = envelope(both, spans);
  CHECK(points[0].admissions == 3);
  CHECK(points[1].admissions == 5);
}

TEST_CASE("percentiles are shown only with enough samples") {
  std::vector<std::int64_t> samples;
  for (std::int64_t i = 1; i <= 10'000; ++i) samples.push_back(i);
  const LatencyCurve curve = latency_curve(samples);
  CHECK(curve.samples == 10'000);
  CHECK(curve.points.back().us == 10'000);
  CHECK(curve.points[curve.points.size() - 2].parts_per_million == 999'900);
  CHECK(curve.points[curve.points.size() - 2].us == 9'999);
  samples.resize(100);
  const LatencyCurve few = latency_curve(samples);
  CHECK(few.points[few.points.size() - 2].parts_per_million == 990'000);
  CHECK(latency_curve({}).points.empty());
}

TEST_CASE("latency is measured from the plan and from the sending, for answered requests") {
  Log log = boundary_burst();
  log.records.push_back(decision_at(101 * kSecondUs, Outcome::unknown));
  CHECK(latency_from_intended(log).points.front().us == 30);
  CHECK(latency_from_sent(log).points.front().us == 20);
  CHECK(latency_from_sent(log).samples == 7);
}

TEST_CASE("recovery ends with the first answer to a request sent after the fault") {
  std::vector<Record> records{decision_at(1'000, Outcome::allowed),
                              decision_at(5'000, Outcome::denied),
                              decision_at(4'000, Outcome::failed)};
  CHECK(first_answer_after(records, 1'000) == 5'010);
  CHECK(first_answer_after(records, 6'000) == kNoTime);
}

TEST_CASE("a fault of the header is in the picture with its recovery time") {
  Log log = boundary_burst();
  log.faults = {{.kind = "redis_restart", .at_us = 100 * kSecondUs - 100},
                {.kind = "redis_pause", .at_us = 200 * kSecondUs}};
  const RunPicture picture = picture_of(log, judge(log), {});
  REQUIRE(picture.faults.size() == 2);
  CHECK(picture.faults[0].recovery_us == 110);
  CHECK_FALSE(picture.faults[1].recovery_us);
}

TEST_CASE("a log without an admission has a picture too") {
  Log log = boundary_burst();
  for (Record& record : log.records) record.outcome = Outcome::denied;
  const RunPicture picture = picture_of(log, judge(log), {});
  CHECK_FALSE(picture.close_up);
  CHECK(picture.timeline.slices.size() > 0);
}
