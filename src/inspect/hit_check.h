// What is in Redis before a hit from the command line: a hit must honour it, or refuse, because it
// may be production. Reads only; what this user may not read is not checked. One thread.
#pragma once

#include <string>

#include "inspect/block_flag.h"
#include "io/redis/redis.h"
#include "limiter/registry.h"

namespace rlctl {

// The key's block flag: if it is set, the client is denied. Throws Error(Exit::target) if the key
// holds what this script does not store, or, unless the user has named the algorithm, if only other
// keys of this limiter exist.
struct PlannedHit {
  const Registry& registry;
  const Script& script;   // lives until the check has ended
  bool is_named = false;  // by the user
  std::string key;
  std::string block_key;  // empty: the default
};
Task<BlockFlag> check_before_hit(Redis& redis, PlannedHit hit);

}  // namespace rlctl
