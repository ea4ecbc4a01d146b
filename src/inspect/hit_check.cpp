#include "inspect/hit_check.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "inspect/inspection_text.h"
#include "inspect/key_reading.h"
#include "inspect/limiter_keys.h"
#include "io/redis/command.h"

namespace rlctl {
namespace {

// The state is in the key itself, and the manifest says what it looks like.
bool is_checkable(const Manifest& manifest) {
  return manifest.state.type != StateType::none && !manifest.keys.empty() &&
         manifest.keys.front() == "<key>";
}

void refuse_other_state(const PlannedHit& hit, const KeyState& state) {
  const Script& script = hit.script;
  if (!is_checkable(script.manifest)) return;
  if (!KeyReader(hit.registry, hit.algorithm).read(state, {}).algorithms.empty()) return;
  const KeyReading reading = KeyReader(hit.registry, {}).read(state, {});
  throw Error(
      Exit::target,
      "not hit: " + in_quotes(state.key) + " holds what " + escape_for_terminal(script.name) +
          " does not store: " + in_words(state, reading),
      reading.algorithms.empty()
          ? "no algorithm of rlctl stores that; name the script that wrote it with --algo FILE.lua"
          : "if you know what wrote it: --algo " + joined(reading.algorithms, " or "));
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
  if (state.problem.empty() && state.exists()) refuse_other_state(hit, state);
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
