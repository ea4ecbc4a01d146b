#include <doctest/doctest.h>

#include "verdict/outcome/inference.h"

namespace rlctl {
namespace {

// Admissions of one key at exactly known instants.
Log log_of(const std::vector<std::int64_t>& instants, std::int64_t limit, std::int64_t window_us) {
  Log log;
  log.keys = {"k"};
  log.policy = policy_of({Rule{.limit = limit, .window_us = window_us}});
  for (const std::int64_t at : instants) {
    Record record;
    record.sent_us = record.received_us = at;
    record.outcome = Outcome::allowed;
    log.records.push_back(record);
  }
  return log;
}

TEST_CASE("the tightest limit is the maximum of any window") {
  const Inference inference = infer(log_of({0, 10, 20, 1000, 1010}, 2, 100), {});
  CHECK(inference.admissions == 5);
  CHECK(inference.tightest_limit == 3);
  CHECK(inference.possible_limit == 3);
}

TEST_CASE("the widest window is the shortest span of limit + 1 admissions") {
  CHECK(infer(log_of({0, 10, 25, 1000}, 2, 100), {}).widest_window_us == 25);
  CHECK_FALSE(infer(log_of({0, 10}, 2, 100), {}).widest_window_us.has_value());
}

TEST_CASE("the smallest bucket explains the log, and no smaller one does") {
  // 5 at once, then one every 10 µs; 10 refill per 100 µs.
  const Inference inference = infer(log_of({0, 0, 0, 0, 0, 10, 20, 30}, 10, 100), {});
  REQUIRE(inference.bucket_at_rate.has_value());
  CHECK(inference.bucket_at_rate->capacity == 5);
  REQUIRE(inference.bucket_at_limit.has_value());
  CHECK(inference.bucket_at_limit->rate_per_window == 0);  // ten were never admitted
  const Inference tight = infer(log_of({0, 0, 10, 20, 30}, 2, 100), {});
  REQUIRE(tight.bucket_at_limit.has_value());
  CHECK(tight.bucket_at_limit->rate_per_window == 10);
}

TEST_CASE("no rate allows more at one instant than the bucket holds") {
  CHECK_FALSE(infer(log_of({0, 0, 0}, 2, 100), {}).bucket_at_limit.has_value());
}

TEST_CASE("the envelope is the maximum of a closed span of each length") {
  const History history = [] {
    History made;
    for (const std::int64_t at : {0, 5, 10}) made.admitted.push_back({at, at, 1, 0});
    return made;
  }();
  const std::vector<std::int64_t> spans{0, 4, 5, 10, 100};
  const auto points = envelope(std::span(&history, 1), spans);
  std::vector<std::int64_t> counts;
  for (const EnvelopePoint& point : points) counts.push_back(point.admissions);
  CHECK(counts == std::vector<std::int64_t>{1, 1, 2, 3, 3});
}

TEST_CASE("without a policy there is still an envelope") {
  const Inference inference = infer(log_of({0, 5'000}, 0, 0), {});
  CHECK_FALSE(inference.tightest_limit.has_value());
  CHECK_FALSE(inference.bucket_at_rate.has_value());
  REQUIRE_FALSE(inference.envelope.empty());
  CHECK(inference.envelope.back().span_us == 5'000);
  CHECK(inference.envelope.back().admissions == 2);
}

}  // namespace
}  // namespace rlctl
