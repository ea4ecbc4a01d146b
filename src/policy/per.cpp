#include "policy/per.h"

#include <algorithm>
#include <optional>

#include "base/host_address.h"
#include "base/text.h"

namespace rlctl {
namespace {

constexpr int kLongestPrefix = 128;

// Empty if there is none, or if it is not a number.
std::optional<int> prefix_of(std::string_view per) {
  const std::size_t slash = per.find('/');
  if (slash == per.npos) return {};
  return parse_whole<int>(per.substr(slash + 1));
}

bool is_of_name(char c) { return is_name_character(c) || c == '-' || c == '.' || c == '@'; }

}  // namespace

std::string_view name_in_per(std::string_view per) { return per.substr(0, per.find('/')); }

std::string problem_of_per(std::string_view per) {
  const std::string_view name = name_in_per(per);
  if (name.empty() || !std::ranges::all_of(name, is_of_name)) return "'per' has no name";
  if (name.size() == per.size()) return {};
  const std::optional<int> prefix = prefix_of(per);
  const bool fits = prefix && *prefix >= 1 && *prefix <= kLongestPrefix;
  return fits ? "" : "the prefix is not a number from 1 to 128";
}

std::string key_per(std::string_view per, std::string_view value) {
  const std::optional<int> prefix = prefix_of(per);
  if (!prefix) return std::string(value);
  const std::optional<HostAddress> address = parse_host_address(value);
  if (!address || *prefix >= address->bits())
    return address ? format_host_address(*address) : std::string(value);
  HostAddress base = *address;
  for (int bit = *prefix; bit < base.bits(); ++bit)
    base.bytes[static_cast<std::size_t>(bit / 8)] &=
        static_cast<std::uint8_t>(~(0x80U >> static_cast<unsigned>(bit % 8)));
  return format_host_address(base) + "/" + std::to_string(*prefix);
}

std::vector<std::string> names_in(const Rules& rules) {
  std::vector<std::string> names;
  for (const Rule& rule : rules) {
    const std::string name(name_in_per(rule.per));
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace rlctl
