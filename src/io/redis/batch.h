// Many commands in flight at once, for verbs that look at many keys: one round trip instead of
// hundreds. Owns the exchanges until every answer is there; as with Redis::send, what the peer does
// is a state of each exchange, nothing is retried and nothing throws. One thread.
#pragma once

#include <string>
#include <vector>

#include "io/redis/redis.h"

namespace rlctl {

// The exchanges in the order of the commands. Keep it to some thousand: they are all in memory.
Task<std::vector<Exchange>> send_all(Redis& redis, std::vector<std::string> wires);

}  // namespace rlctl
