#include "inspect/removable.h"

#include <utility>

#include "base/escape.h"
#include "inspect/block_flag.h"
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
  const bool explained = reading.layout.fits() && !reading.layout.is_common_name;
  return (state.ttl_ms == kNoExpiry || !state.expiry_problem.empty()) && !explained;
}

bool is_flag(const KeyState& state, const RemovalRule& rule) {
  return is_block_flag(state) || (state.key == rule.block_key && may_be_flag(state));
}

// By its type alone: `removed` means that it may be; `words` is then its type.
RemovedKey by_type(const KeyState& state) {
  if (!state.exists()) return {state.key, Removal::absent};
  if (state.type != StateType::none) return {state.key, Removal::removed, state.type_name};
  if (!state.problem.empty()) return {state.key, Removal::refused, state.problem};
  return of_other_type(state.key, state.type_name);
}

void judge(RemovedKey& key, const KeyState& state, const KeyReading& reading,
           const RemovalRule& rule) {
  if (!state.problem.empty()) {
    if (rule.any_data) return;
    key.what = Removal::refused;
    key.words = state.problem;
  } else if (is_flag(state, rule)) {
    key.holds = "block flag: " + key.holds;
  } else if (reading.shape == Shape::none && !rule.any_data) {
    key.what = Removal::other_data;
    key.words = "no limiter's data, but a " + unescape(key.holds).value_or("value");
  } else if (rule.searched && may_be_anything(state, reading) && !rule.any_data) {
    key.holds += ": it may be anything";
    if (rule.shown) return;
    key.what = Removal::perhaps_other;
    key.words = unescape(key.holds).value_or("it may be anything");
  }
}

}  // namespace

Task<std::vector<ExaminedKey>> examine(Redis& redis, KeyReader& reader,
                                       std::vector<std::string> keys, RemovalRule rule) {
  std::vector<ExaminedKey> examined;
  for (const KeyState& state : co_await glance_at(redis, std::move(keys))) {
    RemovedKey key = by_type(state);
    if (key.what == Removal::removed) {
      const KeyReading reading = reader.read(state, {});
      key.holds = in_words(state, reading);
      judge(key, state, reading, rule);
    }
    if (key.what == Removal::absent) continue;
    const bool is_seen = key.what == Removal::removed && state.problem.empty();
    examined.push_back({std::move(key), is_seen ? seen_of(state) : std::vector<std::string>{}});
  }
  co_return examined;
}

}  // namespace rlctl
