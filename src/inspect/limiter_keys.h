// Finds the keys of limiters from user input: a key, or the part that several keys have in common.
// One thread; fails as io/redis/keyspace.h does.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/redis/redis.h"

namespace rlctl {

// Keys that belong together (inspect/key_family.h), without the block flag.
struct LimiterKeys {
  std::string name;
  std::vector<std::string> keys;
  std::string block_key;  // whether or not it exists
};

// `text` is a key: returns that key. If it does not exist, returns the keys that have it as their
// common part (`ratelimit:ip:1.2.3.4` finds `…:minute`). If there are none, `keys` is empty.
// `block_key`: empty for the default.
Task<LimiterKeys> find_limiter(Redis& redis, std::string text, std::string block_key);

// Groups keys into limiters, in the order of their names.
std::vector<LimiterKeys> group_keys(std::vector<std::string> keys);

}  // namespace rlctl
