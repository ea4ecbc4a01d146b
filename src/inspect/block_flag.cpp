#include "inspect/block_flag.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "inspect/stored_time.h"
#include "io/redis/command.h"

namespace rlctl {
namespace {

// Reads the flag. Throws Error if the key holds something else.
Task<BlockFlag> read_flag(Redis& redis, std::string key, std::int64_t now_us) {
  KeyState state;
  state.key = key;
  state.type_name = (co_await ask(redis, encode_command("TYPE", key))).text;
  if (state.type_name == "string") {
    state.type = StateType::string;
    state.value = (co_await ask(redis, encode_command("GETRANGE", key, "0", "99"))).text;
  }
  if (state.exists() && !may_be_flag(state))
    throw Error(Exit::target,
                in_quotes(key) + " is not a block flag: it holds " +
                    (state.type == StateType::string ? "the text " + in_quotes(state.value, 30)
                                                     : "a " + escape_for_terminal(state.type_name)),
                "give the flag's key with --block-key, or see: rlctl inspect KEY");
  if (state.exists()) state.ttl_ms = (co_await ask(redis, encode_command("PTTL", key))).integer;
  co_return flag_of(state, now_us);
}

}  // namespace

bool may_be_flag(const KeyState& state) {
  constexpr std::size_t kMost = 40;
  return state.type == StateType::string && state.value.size() <= kMost &&
         std::ranges::all_of(state.value, [](char c) {
           return is_name_character(c) ||
                  std::string_view(".:+-").find(c) != std::string_view::npos;
         });
}

BlockFlag flag_of(const KeyState& state, std::int64_t now_us) {
  BlockFlag flag;
  flag.key = state.key;
  flag.is_set = may_be_flag(state) && state.ttl_ms != kNoKey;
  if (!flag.is_set || state.ttl_ms < 0) return flag;
  flag.left_us = state.ttl_ms * 1'000;
  flag.ends_us = now_us + *flag.left_us;
  // The limiter uses the value if it is a time; the expiry is rounded up to a millisecond.
  const auto end = stored_time_in(state.value);
  if (end && end->unit == "µs") {
    flag.is_set = end->us > now_us;
    flag.ends_us = end->us;
    flag.left_us = end->us - now_us;
  }
  return flag;
}

Task<BlockFlag> set_block(Redis& redis, std::string key, std::int64_t for_us) {
  const ServerTime now = co_await read_time(redis);
  const BlockFlag before = co_await read_flag(redis, key, now.us);
  const std::string end = std::to_string(now.us + for_us);
  const std::string ttl_ms = std::to_string((for_us + 999) / 1'000);
  co_await ask(redis, encode_command("SET", key, end, "PX", ttl_ms));
  co_return before;
}

Task<BlockFlag> clear_block(Redis& redis, std::string key) {
  const ServerTime now = co_await read_time(redis);
  const BlockFlag before = co_await read_flag(redis, key, now.us);
  if (before.is_set) co_await ask(redis, encode_command("UNLINK", key));
  co_return before;
}

}  // namespace rlctl
