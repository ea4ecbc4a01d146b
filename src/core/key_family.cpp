#include "core/key_family.h"

#include <array>

#include "core/key.h"

namespace rlctl {
namespace {

constexpr std::string_view kBlocked = ":blocked";
constexpr std::array<std::string_view, 4> kPeriods{":second", ":minute", ":hour", ":day"};

// An ending alone is a name like any other.
bool ends_in(std::string_view key, std::string_view ending) {
  return key.size() > ending.size() && key.ends_with(ending);
}

}  // namespace

bool is_block_key(std::string_view key) { return ends_in(key, kBlocked); }

std::string_view limiter_name(std::string_view key) {
  if (is_block_key(key)) return key.substr(0, key.size() - kBlocked.size());
  for (const std::string_view period : kPeriods)
    if (ends_in(key, period)) return key.substr(0, key.size() - period.size());
  return key;
}

std::string block_key_beside(std::string_view key) {
  return is_block_key(key) ? std::string(key) : default_block_key(key);
}

std::vector<std::string> keys_by_name(std::string_view name) {
  std::vector<std::string> keys{std::string(name)};
  for (const std::string_view period : kPeriods) keys.push_back(std::string(name).append(period));
  keys.push_back(std::string(name).append(kBlocked));
  return keys;
}

}  // namespace rlctl
