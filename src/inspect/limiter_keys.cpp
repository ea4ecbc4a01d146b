#include "inspect/limiter_keys.h"

#include <algorithm>

#include "inspect/layout_reading.h"
#include "io/redis/keyspace.h"
#include "policy/key.h"

namespace rlctl {
namespace {

constexpr std::string_view kBlockEnding = ":blocked";

}  // namespace

Task<LimiterKeys> find_limiter(Redis& redis, const Layouts& layouts, std::string text,
                               std::string block_key) {
  LimiterKeys limiter{text, {}, block_key.empty() ? block_key_beside(text) : block_key};
  std::vector<std::string> candidates = keys_by_name(text);
  const std::vector<Existence> exist = co_await find_existing(redis, candidates);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (exist[i] == Existence::absent || candidates[i] == limiter.block_key) continue;
    limiter.keys.push_back(candidates[i]);
    if (i == 0 && exist[i] == Existence::exists) break;  // the exact key was given
  }
  // What only may exist is nothing to go by alone.
  if (std::ranges::find(exist, Existence::exists) == exist.end()) limiter.keys.clear();
  std::vector<std::string> companions = layouts.companions_of(text);
  if (companions.empty()) co_return limiter;
  companions.insert(companions.begin(), text);
  std::vector<KeyState> states = co_await glance_at(redis, std::move(companions), IfLost::tell);
  std::erase_if(states, [](const KeyState& state) { return !state.exists() || state.is_lost; });
  const ServerTime now = co_await read_time(redis);
  const LayoutReading layout = LayoutReader(layouts).read(states, {{}, now.us});
  for (const KeyState& state : states)
    if (layout.fits() && layout.has_companions && state.key != text)
      limiter.keys.push_back(state.key);
  co_return limiter;
}

void FirstLimiters::add(std::vector<std::string> page) {
  for (std::string& key : page) add_key(std::move(key));
}

void FirstLimiters::add_key(std::string key) {
  const std::string name = limiter_name(layouts_, key);
  total_ += met_.add(name) ? 1 : 0;
  keys_[name].insert(std::move(key));
  if (keys_.size() > most_) keys_.erase(std::prev(keys_.end()));
}

std::vector<LimiterKeys> FirstLimiters::limiters() const {
  std::vector<LimiterKeys> limiters;
  for (const auto& [name, keys] : keys_) {
    LimiterKeys limiter{name, {keys.begin(), keys.end()}, block_key_beside(*keys.rbegin())};
    std::erase_if(limiter.keys, [](const std::string& key) { return is_block_key(key); });
    limiters.push_back(std::move(limiter));
  }
  return limiters;
}

// The ending alone is an ordinary name.
bool is_block_key(std::string_view key) {
  return key.size() > kBlockEnding.size() && key.ends_with(kBlockEnding);
}

std::string limiter_name(const Layouts& layouts, std::string_view key) {
  const bool flag = is_block_key(key);
  if (flag) key.remove_suffix(kBlockEnding.size());
  if (std::string name = layouts.limiter_of(key); !name.empty()) return name;
  return std::string(flag ? key : without_period(key));
}

std::string block_key_beside(std::string_view key) {
  return is_block_key(key) ? std::string(key) : default_block_key(key);
}

std::vector<std::string> keys_by_name(std::string_view name) {
  std::vector<std::string> keys{std::string(name)};
  for (const PeriodEnding& period : kPeriodEndings)
    keys.push_back(std::string(name).append(period.text));
  keys.push_back(std::string(name).append(kBlockEnding));
  return keys;
}

}  // namespace rlctl
