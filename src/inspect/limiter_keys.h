// From what a user types, a key or the part that keys have in common, to the keys of limiters.
// One thread; fails as io/redis/keyspace.h does.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/redis/redis.h"

namespace rlctl {

// Keys that belong together (inspect/key_family.h), the block flag apart.
struct LimiterKeys {
  std::string name;
  std::vector<std::string> keys;
  std::string block_key;  // whether it exists or not
};

// `text` as a key: that key, or where there is none, those that have it as their common part
// (`ratelimit:ip:1.2.3.4` finds `…:minute`). Without any, `keys` is empty. `block_key`: empty for
// the default.
Task<LimiterKeys> find_limiter(Redis& redis, std::string text, std::string block_key);

// Keys to limiters, in the order of their names.
std::vector<LimiterKeys> group_keys(std::vector<std::string> keys);

}  // namespace rlctl
