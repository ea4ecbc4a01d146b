#include "inspect/companions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>

#include "inspect/block_flag.h"
#include "inspect/limiter_keys.h"

namespace rlctl {
namespace {

bool is_log(const KeyState& state) { return !state.time_unit.empty() && state.problem.empty(); }

// Of each key that is read with others: itself first, then those that exist.
using Groups = std::map<std::size_t, std::vector<KeyState>>;

Task<Groups> read_groups(Redis& redis, const Layouts& layouts, const std::vector<KeyState>& states,
                         std::vector<std::size_t> wanted) {
  std::vector<std::string> names;
  std::vector<std::size_t> ends;
  for (const std::size_t i : wanted) {
    for (std::string& name : layouts.companions_of(states[i].key)) names.push_back(std::move(name));
    ends.push_back(names.size());
  }
  const std::vector<KeyState> companions =
      co_await glance_at(redis, std::move(names), IfLost::tell);
  Groups groups;
  for (std::size_t i = 0, begin = 0; i < wanted.size(); begin = ends[i++]) {
    std::vector<KeyState>& group = groups[wanted[i]];
    group.push_back(states[wanted[i]]);
    for (std::size_t at = begin; at < ends[i]; ++at)
      if (companions[at].exists() && companions[at].problem.empty())
        group.push_back(companions[at]);
  }
  co_return groups;
}

// The keys that may have this flag beside them.
std::vector<std::string> keys_beside(const Layouts& layouts, const std::string& flag) {
  const std::string limiter = limiter_name(layouts, flag);
  std::vector<std::string> keys = keys_by_name(limiter);
  std::erase_if(keys, [](const std::string& key) { return is_block_key(key); });
  for (std::string& key : layouts.companions_of(limiter)) keys.push_back(std::move(key));
  return keys;
}

}  // namespace

Task<std::vector<KeyReading>> read_with_companions(Redis& redis, KeyReader& reader,
                                                   const std::vector<KeyState>& states,
                                                   KeyContext context) {
  std::vector<KeyReading> readings;
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < states.size(); ++i) {
    readings.push_back(reader.read(states[i], context));
    if (states[i].exists() && readings[i].layout.has_companions) wanted.push_back(i);
  }
  if (wanted.empty()) co_return readings;
  const Groups groups = co_await read_groups(redis, reader.layouts(), states, std::move(wanted));
  for (const auto& [i, group] : groups)
    if (KeyReading together = reader.read_together(group, context); together.layout.fits())
      readings[i] = std::move(together);
  co_return readings;
}

Task<> look_beside_flags(Redis& redis, KeyReader& reader, std::vector<KeyState>& states,
                         KeyContext context) {
  std::vector<KeyState*> flags;
  std::vector<std::string> names;
  std::vector<std::size_t> ends;
  for (KeyState& state : states) {
    if (!is_block_key(state.key) || !is_flag_in_doubt(state) ||
        reader.read(state, context).layout.blocks)
      continue;
    std::ranges::move(keys_beside(reader.layouts(), state.key), std::back_inserter(names));
    flags.push_back(&state);
    ends.push_back(names.size());
  }
  if (flags.empty()) co_return;
  const std::vector<KeyState> all = co_await glance_at(redis, std::move(names), IfLost::tell);
  for (std::size_t i = 0, begin = 0; i < flags.size(); begin = ends[i++]) {
    flags[i]->beside = Beside::nothing;
    for (const KeyState& state : std::span(all).subspan(begin, ends[i] - begin))
      flags[i]->beside = with_key(flags[i]->beside, state, reader.read(state, context));
  }
}

Task<std::vector<std::int64_t>> windows_of_logs(Redis& redis, KeyReader& reader,
                                                const std::vector<KeyState>& states,
                                                KeyContext context) {
  std::vector<std::int64_t> windows_us(states.size());
  std::vector<std::size_t> wanted;
  const auto take = [&](std::size_t i, const KeyReading& reading) {
    if (reading.layout.window_us) windows_us[i] = std::llround(*reading.layout.window_us);
    return reading.layout.window_us.has_value();
  };
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!is_log(states[i])) continue;
    const KeyReading reading = reader.read(states[i], context);
    windows_us[i] = policy_for({}, reading.policy_under(context.policy)).window_us;
    if (!take(i, reading) && reading.layout.has_companions) wanted.push_back(i);
  }
  if (wanted.empty()) co_return windows_us;
  const Groups groups = co_await read_groups(redis, reader.layouts(), states, std::move(wanted));
  for (const auto& [i, group] : groups) take(i, reader.read_together(group, context));
  co_return windows_us;
}

}  // namespace rlctl
