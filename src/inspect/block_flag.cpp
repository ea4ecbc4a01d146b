#include "inspect/block_flag.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "inspect/limiter_keys.h"
#include "inspect/stored_time.h"
#include "io/redis/command.h"

namespace rlctl {
namespace {

// Sets or removes the flag if the key still holds what was read. One step, so that nothing that
// another client stores meanwhile is lost.
constexpr std::string_view kActIfSame = R"lua(
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= ARGV[1] then return 0 end
if kind == 'string' and redis.call('GETRANGE', KEYS[1], 0, 99) ~= ARGV[2] then return 0 end
if ARGV[3] == '' then return redis.call('UNLINK', KEYS[1]) end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
return 1
)lua";

constexpr std::size_t kMostFlagBytes = 40;

// Of a flag that holds its end, the key expires then: up to the rounding of seconds.
constexpr std::int64_t kSameEndUs = 2 * kSecondUs;
constexpr std::string_view kFlagWords[] = {"1", "true", "yes", "blocked", "banned"};
constexpr std::string_view kNoWords[] = {"", "false", "no", "none", "null", "off"};

[[noreturn]] void refuse(const KeyState& state, const std::string& why) {
  throw NotAFlag(Exit::target, in_quotes(state.key) + " is not a block flag: " + why,
                 "a flag holds when it ends and expires then, or 1: give its key with --block-key");
}

// A time, a number or a word, not a text or a document.
bool has_form_of_flag(const KeyState& state) {
  return state.type == StateType::string && state.value.size() <= kMostFlagBytes &&
         std::ranges::all_of(state.value, [](char c) {
           return is_name_character(c) ||
                  std::string_view(".:+-").find(c) != std::string_view::npos;
         });
}

bool is_flag_word(std::string_view value) {
  return std::ranges::find(kFlagWords, value) != std::end(kFlagWords);
}

// Those of rlctl's limiters hold a time in µs and expire: one that is over says what they do.
bool says_no(const KeyState& state, std::int64_t now_us) {
  if (!state.problem.empty()) return false;
  if (const auto end = stored_time_in(state.value))
    return end->us <= now_us && (end->unit != "µs" || state.ttl_ms == kNoExpiry);
  if (const auto date = parse_calendar_time(state.value)) return date->us <= now_us;
  if (const auto number = parse_whole<double>(state.value)) return *number <= 0;
  return std::ranges::find(kNoWords, lower_case(state.value)) != std::end(kNoWords);
}

// Its name or its value says what it is. Any other number or word may be anybody's: a count, a
// token, the state of a limiter.
bool is_as_flags_are(const KeyState& state, std::int64_t now_us) {
  if (is_block_key(state.key) || is_flag_word(state.value)) return true;
  const auto end = stored_time_in(state.value);
  return end && state.ttl_ms >= 0 &&
         std::abs(end->us - now_us - us_of_ms(state.ttl_ms)) <= kSameEndUs;
}

std::string held_in_words(const KeyState& state) {
  // A text may be a secret: the message may end in a log.
  return (parse_whole<double>(state.value) ? "it holds the number " + in_quotes(state.value, 30)
                                           : "it holds a text") +
         (state.ttl_ms < 0
              ? " and never expires"
              : " and expires in " + format_duration_for_people(us_of_ms(state.ttl_ms)));
}

// Reads the key. Throws NotAFlag.
Task<KeyState> read_flag(Redis& redis, std::string key, std::int64_t now_us) {
  KeyState state;
  state.key = key;
  state.type_name = (co_await ask(redis, encode_command("TYPE", key))).text;
  if (!state.exists()) co_return state;
  if (state.type_name != "string")
    refuse(state, "it holds a " + escape_for_terminal(state.type_name));
  state.type = StateType::string;
  const std::string last = std::to_string(kMostFlagBytes);
  state.value = (co_await ask(redis, encode_command("GETRANGE", key, "0", last))).text;
  state.ttl_ms = (co_await ask(redis, encode_command("PTTL", key))).integer;
  if (!has_form_of_flag(state) || !is_as_flags_are(state, now_us))
    refuse(state, held_in_words(state));
  co_return state;
}

// The new value and its time to live; both empty: remove it.
Task<> act_if_same(Redis& redis, KeyState state, std::string value, std::string ttl_ms) {
  const Reply done =
      co_await ask(redis, encode_command("EVAL", kActIfSame, "1", state.key, state.type_name,
                                         state.value, value, ttl_ms));
  if (done.integer == 0)
    throw Error(Exit::target, in_quotes(state.key) + " changed meanwhile: it was left alone",
                "try again");
}

}  // namespace

bool may_be_flag(const KeyState& state) {
  return state.type == StateType::string || state.type == StateType::hash;
}

bool is_flag_in_doubt(const KeyState& state) {
  return state.type == StateType::string && (state.ttl_ms == kNoExpiry || !has_form_of_flag(state));
}

BlockFlag flag_of(const KeyState& state, std::int64_t now_us) {
  BlockFlag flag;
  flag.key = state.key;
  if (!may_be_flag(state)) return flag;
  flag.end_unknown = !state.expiry_problem.empty();
  flag.is_set = flag.end_unknown || state.ttl_ms != kNoKey;
  const auto end = stored_time_in(state.value);
  const bool has_value_of_flag = end || is_flag_word(state.value);
  flag.may_not_block = state.type == StateType::hash || says_no(state, now_us);
  flag.may_be_other =
      flag.may_not_block || (is_flag_in_doubt(state) && state.beside != Beside::limiter &&
                             (state.beside == Beside::other_data || !has_value_of_flag));
  if (state.ttl_ms < 0 && !flag.end_unknown) return flag;
  if (!flag.end_unknown) flag.left_us = us_of_ms(state.ttl_ms);
  flag.ends_us = now_us + flag.left_us.value_or(0);
  // The limiter uses the value if it is a time; the expiry is rounded up to a millisecond.
  if (end && end->unit == "µs") {
    flag.is_set = end->us > now_us;
    flag.ends_us = end->us;
    flag.left_us = end->us - now_us;
    flag.end_unknown = false;
  }
  return flag;
}

Task<BlockFlag> set_block(Redis& redis, std::string key, std::int64_t for_us) {
  const ServerTime now = co_await read_time(redis);
  const KeyState before = co_await read_flag(redis, key, now.us);
  co_await act_if_same(redis, before, std::to_string(now.us + for_us),
                       std::to_string((for_us + 999) / 1'000));
  co_return flag_of(before, now.us);
}

Task<BlockFlag> clear_block(Redis& redis, std::string key) {
  const ServerTime now = co_await read_time(redis);
  const KeyState before = co_await read_flag(redis, key, now.us);
  const BlockFlag flag = flag_of(before, now.us);
  if (flag.is_set) co_await act_if_same(redis, before, {}, {});
  co_return flag;
}

}  // namespace rlctl
