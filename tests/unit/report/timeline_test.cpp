#include "report/picture/timeline.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "base/utf8.h"
#include "report/timeline_text.h"

using namespace rlctl;

namespace {

Record decided_at(std::int64_t us, Outcome outcome, std::uint8_t phase = 0) {
  Record record;
  record.sent_us = us - 10;
  record.received_us = us + 10;
  record.server_us = us;
  record.outcome = outcome;
  record.phase = phase;
  return record;
}

}  // namespace

TEST_CASE("slices hold every record once, and start at a multiple of their length") {
  Log log;
  for (std::int64_t i = 0; i < 1'000; ++i)
    log.records.push_back(decided_at(1'000'003 + i * 7'919, i % 3 == 0   ? Outcome::denied
                                                            : i % 7 == 0 ? Outcome::unknown
                                                                         : Outcome::allowed));
  const Timeline timeline = make_timeline(log, {}, 40);
  CHECK(timeline.slices.size() <= 40);
  CHECK(timeline.slices.size() > 10);
  CHECK(timeline.start_us % timeline.slice_us == 0);
  std::int64_t all = 0;
  for (const TimelineSlice& slice : timeline.slices)
    all += slice.allowed + slice.denied + slice.other;
  CHECK(all == 1'000);
}

TEST_CASE("no slice is shorter than the resolution of the log's stamps") {
  Log log;
  for (const std::int64_t second : {5, 6, 8}) {
    Record record;
    record.sent_us = second * 1'000'000 - 123'456;  // an answer took so long, and was then logged
    record.received_us = second * 1'000'000 + 999'999;
    record.outcome = Outcome::allowed;
    log.records.push_back(record);
  }
  const Timeline coarse = make_timeline(log, {}, 40);
  CHECK(coarse.slice_us == 1'000'000);
  CHECK(coarse.start_us == 5'000'000);
  CHECK(coarse.slices.size() == 4);
  log.records[1].received_us += 5;  // on no grid
  log.records[1].sent_us += 5;
  CHECK(make_timeline(log, {}, 40).slice_us == 100'000);
  for (Record& record : log.records) record.sent_us = record.received_us = 7'000'000;
  log.records[0].sent_us = log.records[0].received_us = 5'000'000;
  CHECK(make_timeline(log, {}, 40).slice_us == 100'000);  // exact: the time is virtual
}

TEST_CASE("a timeline of one phase leaves the others out") {
  Log log;
  log.records = {decided_at(100, Outcome::allowed, 0), decided_at(200, Outcome::denied, 1)};
  const Timeline timeline = make_timeline(log, std::uint8_t{1}, 10);
  REQUIRE(timeline.slices.size() == 1);
  CHECK(timeline.slices[0].denied == 1);
  CHECK(timeline.slices[0].allowed == 0);
  CHECK(make_timeline(log, std::uint8_t{2}, 10).slices.empty());
}

TEST_CASE("the time of a decision is the best known one") {
  Record record = decided_at(500, Outcome::allowed);
  CHECK(moment_of(record) == 500);
  record.server_us = kNoTime;
  CHECK(moment_of(record) == 510);
  record.received_us = kNoTime;
  CHECK(moment_of(record) == 490);
}

TEST_CASE("a timeline as text says how long nothing was sent") {
  Timeline timeline{1'000'000, 100'000, std::vector<TimelineSlice>(40)};
  timeline.slices[0] = {.allowed = 3};
  timeline.slices[2] = {.allowed = 3};
  timeline.slices.back() = {.denied = 1};
  CHECK(timeline_text(timeline, 1'000'000) ==
        "  UTC         allowed  denied  # allowed, . denied\n"
        "  ----------  -------  ------  ---------------------------------------------\n"
        "  00:00:01.0        3       0  ####################################  <- edge\n"
        "  00:00:01.1        0       0\n"
        "  00:00:01.2        3       0  ####################################\n"
        "  00:00:01.3        0       0  (no requests for 3.60 s)  <- 3 edges\n"
        "  00:00:04.9        0       1  ............\n");
}

TEST_CASE("a timeline fits a narrow terminal: its bars are shorter, and its words") {
  Log log;
  for (std::int64_t i = 0; i < 200; ++i)
    log.records.push_back(
        decided_at(1'000'000 + i * 100'000, i % 3 == 0 ? Outcome::denied : Outcome::allowed));
  const Timeline timeline = make_timeline(log, {}, 12);
  for (const std::size_t width : {40, 60, 80}) {
    const std::string text = timeline_text(timeline, 5'000'000, width);
    CAPTURE(text);
    CHECK(text.find('#') != text.npos);
    CHECK(text.find("<-") != text.npos);
    for (const std::string& line : split(text, '\n')) CHECK(display_width(line) <= width);
  }
  CHECK(timeline_text(timeline, 5'000'000, 120) == timeline_text(timeline, 5'000'000));
}

TEST_CASE("where no bar fits beside the figures, the legend stands whole above them") {
  Timeline timeline{1'000'000, 10'000, std::vector<TimelineSlice>(4)};
  timeline.slices[0] = {.allowed = 3};
  timeline.slices[3] = {.denied = 1};
  CHECK(timeline_text(timeline, 1'000'000, 36) ==
        "  # allowed, . denied\n"
        "  UTC          allowed  denied\n"
        "  -----------  -------  ------\n"
        "  00:00:01.00        3       0\n"
        "      ##########################  <-\n"
        "  00:00:01.01        0       0\n"
        "      (no requests for 20.0 ms)\n"
        "  00:00:01.03        0       1\n"
        "      ........\n");
  timeline.slices[3].other = 1;
  const std::string narrow = timeline_text(timeline, 1'000'000, 24);
  CHECK(narrow.starts_with("  # allowed\n  . denied\n  ? undecided\n"));
  CHECK(narrow.find("denied #") == narrow.npos);
}
