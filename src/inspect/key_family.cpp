#include "inspect/key_family.h"

#include "policy/key.h"

namespace rlctl {
namespace {

constexpr std::string_view kBlocked = ":blocked";

}  // namespace

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
