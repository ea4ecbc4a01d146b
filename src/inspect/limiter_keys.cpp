#include "inspect/limiter_keys.h"

#include "inspect/key_family.h"
#include "io/redis/keyspace.h"

namespace rlctl {

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

}  // namespace rlctl
