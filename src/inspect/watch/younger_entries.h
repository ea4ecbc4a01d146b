// How many entries of many logs are younger than a time each, asked all at once: a few round trips
// for a screen of limiters, however many there are. Changes nothing. Error(Exit::target) where
// Redis does not answer; a log that is gone meanwhile, or may not be read, counts 0. One thread.
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

// In the order of the questions. Where the state holds every entry nothing is asked; else a ZCOUNT
// and a ZRANGEBYSCORE a zset, and for lists a bisection by LINDEX, all of them in step: O(log
// length) round trips.
Task<std::vector<LiveEntries>> count_younger(Redis& redis, std::vector<LogQuestion> questions);

}  // namespace rlctl
