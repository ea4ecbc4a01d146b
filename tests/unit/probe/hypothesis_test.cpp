// The numbers that a range of limits and times is told as: those that people write.
#include "probe/hypothesis.h"

#include <doctest/doctest.h>

#include "base/units.h"
#include "policy/rules_text.h"

using namespace rlctl;

namespace {

// Found as exactly as an examination finds it: within 1.5 %, and not quite in the middle.
Hypothesis found(LimiterKind kind, std::int64_t limit, std::int64_t time_us, int shift_per_mille) {
  const std::int64_t middle_us = time_us + time_us * shift_per_mille / 1'000;
  return {.kind = kind,
          .limit = limit,
          .limit_high = limit,
          .low_us = middle_us - middle_us * 14 / 1'000,
          .high_us = middle_us + middle_us * 14 / 1'000};
}

}  // namespace

TEST_CASE("a window is told as the number that people write") {
  const std::int64_t ms = 1'000;
  const std::vector<std::int64_t> windows{
      400 * ms,       800 * ms,       1'500 * ms,     7 * kSecondUs, 8 * kSecondUs,
      42 * kSecondUs, 90 * kSecondUs, 15 * kMinuteUs, 12 * kHourUs,  kDayUs};
  for (const std::int64_t window_us : windows)
    for (const int shift : {-8, 0, 8}) {
      const Hypothesis one = found(LimiterKind::sliding, 5, window_us, shift);
      CAPTURE(shift);
      CHECK(rules_text(rules_of(one)) == "5/" + format_duration(window_us));
    }
}

TEST_CASE("a refill is told as the rate that people write") {
  struct Rate {
    std::int64_t refill_us;
    const char* policy;
  };
  const std::vector<Rate> rates{{10'000, "bucket 20 + 100/1s"},
                                {1'000, "bucket 20 + 1000/1s"},
                                {600'000, "bucket 20 + 100/1m"},
                                {142'857, "bucket 20 + 7/1s"},
                                {90'000'000, "bucket 20 + 40/1h"}};
  for (const Rate& rate : rates)
    for (const int shift : {-8, 0, 8})
      CHECK(rules_text(rules_of(found(LimiterKind::bucket, 20, rate.refill_us, shift))) ==
            rate.policy);
}

TEST_CASE("a time that nobody would write is told as the middle of its range") {
  CHECK(roundest_time(6'871'300, 6'873'500) == 6'872'000);
  CHECK(roundest_time(1'234'567, 1'234'567) == 1'234'567);
  CHECK(roundest_time(7'000'000, 7'000'000) == 7'000'000);
}
