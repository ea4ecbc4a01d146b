// Counts the entries of many logs that are younger than a given time, for all logs at once: a few
// round trips for a screen of limiters, however many there are. Changes nothing. Throws
// Error(Exit::target) if Redis does not answer. A log that has disappeared or may not be read
// counts 0. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "inspect/key_state.h"
#include "io/redis/redis.h"

namespace rlctl {

struct LogQuestion {
  const KeyState* state = nullptr;  // a list or a zset with a time_unit; outlives the call
  std::int64_t horizon_us = 0;      // entries after it count
};

// Returns the answers in the order of the questions. If the state holds every entry, no command is
// sent. Otherwise: a ZCOUNT and a ZRANGEBYSCORE per zset, and for lists a bisection by LINDEX, all
// lists in parallel: O(log length) round trips.
Task<std::vector<LiveEntries>> count_younger(Redis& redis, std::vector<LogQuestion> questions);

}  // namespace rlctl
