// The block flag: a string beside a limiter's key. Its value is the µs since 1970 at which the
// block ends; the key expires at that time. While it exists, every request is denied. Flags of
// other software may hold another value ("1"): then only the expiry says when the block ends. One
// thread.
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
  std::optional<std::int64_t> left_us;  // empty: it has no end, or this user may not know it
  std::int64_t ends_us = 0;             // valid if left_us is set
  bool end_unknown = false;  // this user may not read the expiry, and the value does not tell
  // Its value is a text or a document; or it has no end, and its value is that of no flag, or it is
  // beside other data, such as the record of a user. It is one only beside a limiter's keys.
  bool may_be_other = false;
  // Nor is it for certain beside a limiter: it is a hash, or its value says no ("false", a time
  // that is over). Limiters that ask only if it exists deny, others do not.
  bool may_not_block = false;

  bool is_certain() const { return is_set && !may_be_other; }
  bool is_for_ever() const { return is_set && !left_us && !end_unknown; }
};

// What should be set or removed as a flag holds something else.
struct NotAFlag : Error {
  using Error::Error;
};

// Any string or hash may be one: limiters ask only if it exists.
bool may_be_flag(const KeyState& state);

// Whether it depends on what is beside it if it is one.
bool is_flag_in_doubt(const KeyState& state);

// Reads the flag from the state of its key at `now_us`.
BlockFlag flag_of(const KeyState& state, std::int64_t now_us);

// Sets the flag to end after `for_us` from now (Redis's time), whatever it was before. Returns the
// old flag. Throws Error(Exit::target) if the key holds something that is not a flag; nothing is
// overwritten then.
Task<BlockFlag> set_block(Redis& redis, std::string key, std::int64_t for_us);

// Removes the flag, if there is one. Returns the old flag.
Task<BlockFlag> clear_block(Redis& redis, std::string key);

}  // namespace rlctl
