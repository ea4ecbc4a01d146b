// Questions about records: lateness, and the recovery after a fault.
#include "log/record.h"

#include <doctest/doctest.h>

#include <vector>

using namespace rlctl;

namespace {

Record record_of(std::int64_t sent_us, std::int64_t received_us, Outcome outcome) {
  Record record;
  record.sent_us = sent_us;
  record.received_us = received_us;
  record.outcome = outcome;
  return record;
}

}  // namespace

TEST_CASE("a request is late if it was sent more than the allowance after its plan") {
  Record record = record_of(110, 120, Outcome::allowed);
  CHECK_FALSE(sent_late(record, 0));  // without a plan
  record.intended_us = 100;
  CHECK(sent_late(record, 9));
  CHECK_FALSE(sent_late(record, 10));
  record.sent_us = kNoTime;
  CHECK_FALSE(sent_late(record, 0));  // never sent
}

TEST_CASE("recovery is the first answer to a request that was sent after the fault") {
  const std::vector<Record> records{record_of(90, 130, Outcome::allowed),  // sent before the fault
                                    record_of(100, kNoTime, Outcome::unknown),  // not answered
                                    record_of(110, 190, Outcome::denied),
                                    record_of(120, 150, Outcome::allowed),
                                    record_of(125, 128, Outcome::failed)};
  CHECK(first_answer_after(records, 100) == 150);
  CHECK(first_answer_after(records, 115) == 150);
  CHECK(first_answer_after(records, 121) == kNoTime);
  CHECK(first_answer_after({}, 0) == kNoTime);
}
