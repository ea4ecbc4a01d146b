// The block flag: a string beside a limiter's key whose value is the µs since 1970 at which the
// block ends, and which expires then. While it is there every request is denied. Other people's
// flags hold anything ("1"): then the expiry alone says when they end. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "inspect/key_state.h"
#include "io/redis/redis.h"

namespace rlctl {

struct BlockFlag {
  std::string key;
  bool is_set = false;
  std::optional<std::int64_t> left_us;  // empty: no expiry, so it blocks for ever
  std::int64_t ends_us = 0;             // with left_us
};

// What the state of a flag's key says at `now_us`.
BlockFlag flag_of(const KeyState& state, std::int64_t now_us);

// Sets the flag for this long from now on (Redis's time), whatever it was. Returns what it was.
// Error(Exit::target) when the key holds something that is no flag: nothing is overwritten.
Task<BlockFlag> set_block(Redis& redis, std::string key, std::int64_t for_us);

// Removes the flag, if there is one. Returns what it was.
Task<BlockFlag> clear_block(Redis& redis, std::string key);

}  // namespace rlctl
