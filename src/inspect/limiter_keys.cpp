#include "inspect/limiter_keys.h"

#include "io/redis/keyspace.h"
#include "policy/key.h"

namespace rlctl {
namespace {

constexpr std::string_view kBlocked = ":blocked";

}  // namespace

Task<LimiterKeys> find_limiter(Redis& redis, std::string text, std::string block_key) {
  LimiterKeys limiter{text, {}, block_key.empty() ? block_key_beside(text) : block_key};
  std::vector<std::string> candidates = keys_by_name(text);
  const std::vector<bool> exist = co_await find_existing(redis, candidates);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!exist[i] || candidates[i] == limiter.block_key) continue;
    limiter.keys.push_back(candidates[i]);
    if (i == 0) break;  // the exact key was given
  }
  co_return limiter;
}

std::vector<LimiterKeys> group_keys(std::vector<std::string> keys) {
  std::map<std::string, LimiterKeys> groups;
  for (std::string& key : keys) {
    const std::string name(limiter_name(key));
    LimiterKeys& group = groups[name];
    group.name = name;
    group.block_key = block_key_beside(key);
    if (key != group.block_key) group.keys.push_back(std::move(key));
  }
  std::vector<LimiterKeys> limiters;
  for (auto& [name, group] : groups) limiters.push_back(std::move(group));
  return limiters;
}

// The ending alone is an ordinary name.
bool is_block_key(std::string_view key) {
  return key.size() > kBlocked.size() && key.ends_with(kBlocked);
}

std::string_view limiter_name(std::string_view key) {
  if (is_block_key(key)) return key.substr(0, key.size() - kBlocked.size());
  return without_period(key);
}

std::string block_key_beside(std::string_view key) {
  return is_block_key(key) ? std::string(key) : default_block_key(key);
}

std::vector<std::string> keys_by_name(std::string_view name) {
  std::vector<std::string> keys{std::string(name)};
  for (const std::string_view period : kPeriodEndings)
    keys.push_back(std::string(name).append(period));
  keys.push_back(std::string(name).append(kBlocked));
  return keys;
}

}  // namespace rlctl
