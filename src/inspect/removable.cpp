#include "inspect/removable.h"

#include <algorithm>
#include <utility>

#include "base/escape.h"
#include "inspect/block_flag.h"
#include "inspect/companions.h"
#include "inspect/inspection_text.h"

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
  return (state.ttl_ms == kNoExpiry || !state.expiry_problem.empty() || reading.may_be_other) &&
         !reading.is_of_library();
}

// A hash is more than a flag needs: it goes only as what it holds.
bool is_flag(const KeyState& state, const KeyReading& reading, const RemovalRule& rule) {
  return state.type == StateType::string &&
         (is_block_flag(state, reading) || state.key == rule.block_key);
}

bool is_doubtful(const KeyState& state, const KeyReading& reading, std::int64_t now_us) {
  return is_block_flag(state, reading) && flag_of(state, now_us).may_be_other &&
         !reading.layout.blocks;
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

void judge(RemovedKey& key, const KeyState& state, const KeyReading& reading,
           const RemovalRule& rule, std::int64_t now_us) {
  if (!state.problem.empty()) {
    if (rule.any_data) return;
    key.what = Removal::refused;
    key.words = state.problem;
  } else if (rule.is_careful() && state.key != rule.block_key &&
             is_doubtful(state, reading, now_us)) {
    doubt(key, rule);
  } else if (is_flag(state, reading, rule)) {
    key.holds = "block flag: " + key.holds;
  } else if (reading.shape == Shape::none && !rule.any_data) {
    key.what = Removal::other_data;
    key.words = "no limiter's data, but a " + unescape(key.holds).value_or("value");
  } else if (rule.is_careful() && (may_be_anything(state, reading) ||
                                   (state.key == rule.client && !reading.is_of_known_writer()))) {
    doubt(key, rule);
  }
}

}  // namespace

Task<std::vector<ExaminedKey>> examine(Redis& redis, KeyReader& reader,
                                       std::vector<std::string> keys, RemovalRule rule) {
  std::vector<KeyState> states = co_await glance_at(redis, std::move(keys));
  const ServerTime now = co_await read_time(redis);
  const KeyContext context{{}, now.us};
  if (rule.is_careful()) co_await look_beside_flags(redis, reader, states, context);
  std::vector<ExaminedKey> examined;
  for (const KeyState& state : states) {
    RemovedKey key = by_type(state);
    if (key.what == Removal::removed) {
      const KeyReading reading = reader.read(state, context);
      key.holds = in_words(state, reading);
      judge(key, state, reading, rule, now.us);
    }
    if (key.what == Removal::absent) continue;
    const bool is_seen = key.what == Removal::removed && state.problem.empty();
    examined.push_back({std::move(key), is_seen ? seen_of(state) : std::vector<std::string>{}});
  }
  co_return examined;
}

}  // namespace rlctl
