// Records as intervals.
#include "verdict/history.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "verdict/algorithm/clock_offset.h"

using namespace rlctl;

namespace {

Record record_of(std::int64_t sent_us, std::int64_t received_us, Outcome outcome,
                 std::int64_t server_us = kNoTime) {
  Record record;
  record.sent_us = sent_us;
  record.received_us = received_us;
  record.server_us = server_us;
  record.outcome = outcome;
  return record;
}

std::string text_of(const Placement& placement) {
  const std::string high =
      placement.high_us == kOpenEnd ? "open" : std::to_string(placement.high_us);
  return "[" + std::to_string(placement.low_us) + "," + high + "]";
}

const Frame kStamps{.stamps = true, .max_inflight_us = {}};
const Frame kShortFlight{.max_inflight_us = 500};

std::string placed(const Record& record, const Frame& frame = {}) {
  return text_of(place(record, 0, frame));
}

}  // namespace

TEST_CASE("a decision was made between sending and receiving") {
  CHECK(placed(record_of(10, 30, Outcome::allowed)) == "[10,30]");
  CHECK(placed(record_of(10, 30, Outcome::denied)) == "[10,30]");
  CHECK(placed(record_of(10, kNoTime, Outcome::allowed)) == "[10,10]");
  CHECK(placed(record_of(kNoTime, 30, Outcome::allowed)) == "[30,30]");
  CHECK(placed(record_of(10, 5, Outcome::allowed)) == "[10,10]");  // a clock went back
}

TEST_CASE("a server's stamp is the instant, if stamps are used") {
  const Record stamped = record_of(10, 30, Outcome::allowed, 22);
  CHECK(placed(stamped) == "[10,30]");
  CHECK(placed(stamped, kStamps) == "[22,22]");
  CHECK(placed(record_of(10, 30, Outcome::allowed), kStamps) == "[10,30]");
}

TEST_CASE("two stamps enclose the decision") {
  Record record = record_of(10, 30, Outcome::allowed);
  REQUIRE(set_server_stamps(record, 22, 25));
  CHECK(placed(record) == "[10,30]");
  CHECK(placed(record, kStamps) == "[22,25]");
  Record slow = record_of(10, 200'000, Outcome::allowed);
  CHECK_FALSE(set_server_stamps(slow, 20, 20 + kLongestServerSpanUs + 1));
  CHECK(placed(slow, kStamps) == "[10,200000]");
}

TEST_CASE("both stamps bound the offset of the limiter's clock") {
  Log log;
  log.records = {record_of(1'000, 1'100, Outcome::allowed)};
  set_server_stamps(log.records[0], 5'030, 5'080);
  const ClockOffset offset = clock_offset(log);
  CHECK(offset.low_us == 3'980);
  CHECK(offset.high_us == 4'030);
  CHECK(offset.widest_us == 50);
}

TEST_CASE("an unknown outcome may happen at any time after sending, or within the longest flight") {
  const Record unknown = record_of(10, 30, Outcome::unknown, 22);
  CHECK(placed(unknown) == "[10,open]");
  CHECK(placed(unknown, kStamps) == "[10,open]");
  CHECK(placed(unknown, kShortFlight) == "[10,510]");
}

TEST_CASE("only a record that lacks a duration may have been slow") {
  Record record = record_of(1'000, 1'030, Outcome::allowed);
  const Frame frame{.slow_before_us = 60, .slow_after_us = 9, .max_inflight_us = {}};
  CHECK(placed(record, frame) == "[1000,1030]");
  record.lacks_duration = true;
  CHECK(placed(record, frame) == "[940,1039]");
}

TEST_CASE("an uncertain offset widens the interval, and moves stamps not at all") {
  const Frame frame{.stamps = true, .offset_low = -4, .offset_high = 6, .max_inflight_us = {}};
  CHECK(placed(record_of(10, 30, Outcome::allowed), frame) == "[6,36]");
  CHECK(placed(record_of(10, 30, Outcome::allowed, 22), frame) == "[22,22]");
  CHECK(placed(record_of(10, 30, Outcome::unknown), frame) == "[6,open]");
}

TEST_CASE("a record without a time is an error that names it") {
  CHECK_THROWS_WITH_AS(place(record_of(kNoTime, kNoTime, Outcome::allowed), 4, {}),
                       "record 5 has no time", Error);
}

TEST_CASE("a history is sorted by time, then by record, and counts what certainly failed") {
  Log log;
  log.records = {record_of(30, 40, Outcome::allowed),     record_of(10, 20, Outcome::denied),
                 record_of(10, 20, Outcome::allowed),     record_of(5, 9, Outcome::failed),
                 record_of(7, kNoTime, Outcome::unknown), record_of(10, 15, Outcome::allowed)};
  const std::vector<std::uint32_t> all{0, 1, 2, 3, 4, 5};
  const History history = make_history(log, all, {});
  REQUIRE(history.admitted.size() == 3);
  CHECK(history.admitted[0].record == 2);
  CHECK(history.admitted[1].record == 5);
  CHECK(history.admitted[2].record == 0);
  CHECK(history.denied.size() == 1);
  CHECK(history.unknown.size() == 1);
  CHECK(history.failed == 1);
  CHECK_FALSE(history.exact());
  const std::vector<std::uint32_t> two{0, 1};
  CHECK(make_history(log, two, {}).admitted.size() == 1);
}

TEST_CASE("a history is exact if every instant is known") {
  Log log;
  log.records = {record_of(10, 10, Outcome::allowed), record_of(20, 20, Outcome::denied)};
  const std::vector<std::uint32_t> all{0, 1};
  CHECK(make_history(log, all, {}).exact());
  log.records[1].received_us = 21;
  CHECK_FALSE(make_history(log, all, {}).exact());
}
