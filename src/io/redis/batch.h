// Many commands in flight at once, for verbs that look at many keys: one round trip instead of
// hundreds. Owns the exchanges until every answer has arrived. As with Redis::send, a failure is a
// state of its exchange: nothing is retried and nothing throws. One thread.
#pragma once

#include <string>
#include <vector>

#include "io/redis/redis.h"

namespace rlctl {

// Returns the exchanges in the order of the commands. Send at most some thousands at once: all are
// in memory.
Task<std::vector<Exchange>> send_all(Redis& redis, std::vector<std::string> wires);

}  // namespace rlctl
