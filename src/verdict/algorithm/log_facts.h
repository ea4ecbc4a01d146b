// What the records of a log say together, whatever their keys are: counts, clocks, when it begins
// and ends. Those of a log by parts are joined, in any order. Plain values; O(n).
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "log/record.h"
#include "log/target_counts.h"
#include "verdict/algorithm/clock_offset.h"

namespace rlctl {

struct LogFacts {
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  LogFacts() = default;
  // All but most_in_flight. `grain_us`: the resolution of the limiter's stamps.
  LogFacts(const Log& log, std::int64_t late_after_us, std::int64_t grain_us);
  // A record that the log did not have. What it says of the clocks of several servers, is added by
  // whoever has all records of its key (`clock`).
  void add(const Record& record, const Finish& finish, std::int64_t late_after_us);
  void join(const LogFacts& other);

  std::int64_t operations = 0;
  std::int64_t failed = 0;  // no operations
  std::int64_t allowed = 0;
  std::int64_t denied = 0;
  std::int64_t unknown = 0;
  std::int64_t late = 0;
  std::map<int, std::int64_t> unknown_by_status;
  bool any_status = false;
  bool has_actual_costs = false;
  std::vector<TargetCounts> targets;  // empty: one limiter decided
  ClockEvidence clock;

  // From the first to the last operation, by the limiter's clock where it is known.
  std::int64_t from_us = kNone;
  std::int64_t to_us = std::numeric_limits<std::int64_t>::min();
  // The earliest answer by our clock, and the earliest stamp. kNone: none.
  std::int64_t first_answer_us = kNone;
  std::int64_t first_stamp_us = kNone;

  std::int64_t most_in_flight = 0;  // 1: no races were tested

 private:
  void add_operation(const Record& record, std::int64_t late_after_us);
  void add_times(const Record& record);
};

}  // namespace rlctl
