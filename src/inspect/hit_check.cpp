#include "inspect/hit_check.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "inspect/limiter_keys.h"
#include "inspect/own_state.h"
#include "io/redis/command.h"

namespace rlctl {
namespace {

void refuse_other_state(const PlannedHit& hit, const KeyState& state) {
  if (const auto stranger = OwnState(hit.registry, hit.script).stranger(state))
    throw Error(stranger->exit(), "not hit: " + std::string(stranger->what()), stranger->hint());
}

// Asked by TYPE, which this user may run: it has told that there is no such key.
Task<> refuse_second_limiter(Redis& redis, std::string key, std::string block_key) {
  std::vector<std::string> others = keys_by_name(key);
  std::erase_if(others, [&](const std::string& name) { return name == key || name == block_key; });
  std::vector<std::string> commands;
  for (const std::string& other : others) commands.push_back(encode_command("TYPE", other));
  const std::vector<Exchange> types = co_await send_all(redis, std::move(commands));
  for (std::size_t i = 0; i < others.size(); ++i)
    if (types[i].has_answer() && types[i].reply.text != "none")
      throw Error(Exit::target,
                  "not hit: there is no key " + in_quotes(key) + ", but there is " +
                      in_quotes(others[i]) + ": a hit would begin a second limiter",
                  "hit that key, or name the algorithm of a new one with --algo");
}

[[noreturn]] void refuse_unseen(const std::string& what, const KeyState& state) {
  throw Error(Exit::target, "not hit: " + what + ": " + escape_for_terminal(state.problem),
              "check that it runs; for a slow server use a longer --timeout");
}

}  // namespace

Task<BlockFlag> check_before_hit(Redis& redis, PlannedHit hit) {
  if (hit.block_key.empty()) hit.block_key = block_key_beside(hit.key);
  std::vector<std::string> keys;
  keys.push_back(hit.key);
  keys.push_back(hit.block_key);
  const std::vector<KeyState> states = co_await glance_at(redis, std::move(keys), IfLost::tell);
  const KeyState& state = states[0];
  refuse_other_state(hit, state);
  if (state.problem.empty() && !state.exists() && !hit.is_named)
    co_await refuse_second_limiter(redis, hit.key, hit.block_key);
  if (states[1].is_lost)
    refuse_unseen("it is not known if " + in_quotes(hit.block_key) + " blocks it", states[1]);
  const ServerTime now = co_await read_time(redis);
  const BlockFlag flag = flag_of(states[1], now.us);
  if (state.is_lost && !flag.is_set) refuse_unseen("no answer about " + in_quotes(hit.key), state);
  co_return flag;
}

}  // namespace rlctl
