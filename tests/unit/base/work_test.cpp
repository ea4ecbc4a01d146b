#include "base/work.h"

#include <doctest/doctest.h>

#include "base/units.h"
#include "scenario/length.h"

using namespace rlctl;

TEST_CASE("progress shows the work, the share, the rate and the time left") {
  CHECK(work_in_words({"judging", "keys", 25'000, 100'000}, 5 * kSecondUs) ==
        "judging: 25,000 of 100,000 keys, 25 %, 5,000/s, 15s left");
  CHECK(work_in_words({"reading", {}, 3 << 20, 12 << 20, Work::Unit::bytes}, 2 * kSecondUs) ==
        "reading: 3.00 MiB of 12.0 MiB, 25 %, 1.50 MiB/s, 6s left");
  CHECK(work_in_words({"burst", {}, 30 * kSecondUs, 300 * kSecondUs, Work::Unit::time_us},
                      30 * kSecondUs) == "burst: 30s of 5m 00s, 10 %, 4m 30s left");
}

TEST_CASE("unknown parts are left out, and an estimate never exceeds the total") {
  CHECK(work_in_words({"reading", "rows", 70}, 10 * kSecondUs) == "reading: 70 rows, 7/s");
  CHECK(work_in_words({"looking", "keys", 5, 100}, 100'000) == "looking: 5 of 100 keys, 5 %");
  CHECK(work_in_words({"looking", "keys", 0, 100}, 9 * kSecondUs) == "looking: 0 of 100 keys, 0 %");
  CHECK(
      work_in_words({"looking", "keys", 250, 100}, 2 * kSecondUs).find("100 of 100 keys, 100 %") !=
      std::string::npos);
}

TEST_CASE("a scenario's length is its plan's, if the plan is known") {
  Scenario scenario;
  scenario.phases.resize(2);
  scenario.phases[0].duration_us = 10 * kSecondUs;
  scenario.phases[1].model = TrafficModel::bursts;
  scenario.phases[1].bursts = {{5 * kSecondUs, 11, 100'000}};
  CHECK(scenario_length_us(scenario) == 16 * kSecondUs);
  scenario.phases[1].start = Moment{0, 2 * kSecondUs};
  CHECK(scenario_length_us(scenario) == 10 * kSecondUs);
  scenario.phases[0].model = TrafficModel::consumers;
  CHECK_FALSE(scenario_length_us(scenario));
}
