#include "inspect/removable.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/escape.h"
#include "inspect/block_flag.h"
#include "inspect/inspection_text.h"
#include "inspect/limiter_keys.h"

namespace rlctl {
namespace {

std::vector<std::string> seen_of(const KeyState& state) {
  constexpr std::size_t kMostFieldsSeen = 8;
  std::vector<std::string> seen{state.type_name};
  if (state.type == StateType::string) seen.push_back(state.value);
  for (const auto& [field, value] : state.fields)
    if (seen.size() <= kMostFieldsSeen) seen.push_back(field);
  return seen;
}

// Limiters let their keys expire. One without an expiry is a limiter's mistake, or another
// program's number, hash or log, unless a library's layout or the name of a flag explains it.
bool may_be_anything(const KeyState& state, const KeyReading& reading) {
  const bool explained = reading.layout.fits() && !reading.layout.is_common_name;
  return (state.ttl_ms == kNoExpiry || !state.expiry_problem.empty()) && !explained;
}

bool is_flag(const KeyState& state, const KeyReading& reading, const RemovalRule& rule) {
  return is_block_flag(state, reading) || (state.key == rule.block_key && may_be_flag(state));
}

bool is_doubtful(const KeyState& state, const KeyReading& reading) {
  return is_block_flag(state, reading) && flag_of(state, 0).may_be_other && !reading.layout.blocks;
}

// The keys that may have this flag beside them.
std::vector<std::string> keys_beside(const Layouts& layouts, const std::string& flag) {
  const std::string limiter = limiter_name(layouts, flag);
  std::vector<std::string> keys = keys_by_name(limiter);
  std::erase_if(keys, [](const std::string& key) { return is_block_key(key); });
  for (std::string& key : layouts.companions_of(limiter)) keys.push_back(std::move(key));
  return keys;
}

// Of those that are beside no limiter's key, the names.
Task<std::set<std::string>> find_lone_flags(Redis& redis, KeyReader& reader,
                                            std::vector<std::string> flags, KeyContext context) {
  std::vector<std::string> names;
  std::vector<std::size_t> ends;
  for (const std::string& flag : flags) {
    std::ranges::move(keys_beside(reader.layouts(), flag), std::back_inserter(names));
    ends.push_back(names.size());
  }
  const std::vector<KeyState> states = co_await glance_at(redis, std::move(names));
  std::set<std::string> lone;
  for (std::size_t i = 0, begin = 0; i < flags.size(); begin = ends[i++])
    if (std::none_of(states.begin() + static_cast<std::ptrdiff_t>(begin),
                     states.begin() + static_cast<std::ptrdiff_t>(ends[i]),
                     [&](const KeyState& state) {
                       return state.exists() && reader.read(state, context).shape != Shape::none;
                     }))
      lone.insert(flags[i]);
  co_return lone;
}

// By its type alone: `removed` means that it may be; `words` is then its type.
RemovedKey by_type(const KeyState& state) {
  if (!state.exists()) return {state.key, Removal::absent};
  if (state.type != StateType::none) return {state.key, Removal::removed, state.type_name};
  if (!state.problem.empty()) return {state.key, Removal::refused, state.problem};
  return of_other_type(state.key, state.type_name);
}

// What may be anything goes only if a person sees it, or the user has named it.
void doubt(RemovedKey& key, const RemovalRule& rule) {
  key.holds += ": it may be anything";
  if (rule.shown) return;
  key.what = Removal::perhaps_other;
  key.words = unescape(key.holds).value_or("it may be anything");
}

void judge(RemovedKey& key, const KeyState& state, const KeyReading& reading, bool is_lone_flag,
           const RemovalRule& rule) {
  if (!state.problem.empty()) {
    if (rule.any_data) return;
    key.what = Removal::refused;
    key.words = state.problem;
  } else if (is_lone_flag) {
    doubt(key, rule);
  } else if (is_flag(state, reading, rule)) {
    key.holds = "block flag: " + key.holds;
  } else if (reading.shape == Shape::none && !rule.any_data) {
    key.what = Removal::other_data;
    key.words = "no limiter's data, but a " + unescape(key.holds).value_or("value");
  } else if (rule.searched && !rule.any_data &&
             (may_be_anything(state, reading) || (state.key == rule.client && reading.guess))) {
    doubt(key, rule);
  }
}

}  // namespace

Task<std::vector<ExaminedKey>> examine(Redis& redis, KeyReader& reader,
                                       std::vector<std::string> keys, RemovalRule rule) {
  const std::vector<KeyState> states = co_await glance_at(redis, std::move(keys));
  const ServerTime now = co_await read_time(redis);
  const KeyContext context{{}, now.us};
  std::vector<KeyReading> readings;
  std::vector<std::string> doubtful;
  for (const KeyState& state : states) {
    readings.push_back(reader.read(state, context));
    if (rule.searched && !rule.any_data && state.key != rule.block_key &&
        is_doubtful(state, readings.back()))
      doubtful.push_back(state.key);
  }
  std::set<std::string> lone;
  if (!doubtful.empty())
    lone = co_await find_lone_flags(redis, reader, std::move(doubtful), context);
  std::vector<ExaminedKey> examined;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const KeyState& state = states[i];
    RemovedKey key = by_type(state);
    if (key.what == Removal::removed) {
      key.holds = in_words(state, readings[i]);
      judge(key, state, readings[i], lone.contains(state.key), rule);
    }
    if (key.what == Removal::absent) continue;
    const bool is_seen = key.what == Removal::removed && state.problem.empty();
    examined.push_back({std::move(key), is_seen ? seen_of(state) : std::vector<std::string>{}});
  }
  co_return examined;
}

}  // namespace rlctl
