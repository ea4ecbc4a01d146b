#include "base/text.h"

#include <algorithm>

namespace rlctl {

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

// Not by find_first_not_of, which calls memchr for each character of the text.
std::string_view trimmed(std::string_view text, std::string_view characters) {
  const auto is_cut = [characters](char c) {
    return std::any_of(characters.begin(), characters.end(), [c](char one) { return one == c; });
  };
  while (!text.empty() && is_cut(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_cut(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view take_until(std::string_view& rest, char separator) {
  const std::string_view part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) parts.emplace_back(take_until(text, separator));
  return parts;
}

}  // namespace rlctl
