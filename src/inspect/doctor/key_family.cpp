#include "inspect/doctor/key_family.h"

#include <algorithm>

#include "base/text.h"
#include "policy/key.h"

namespace rlctl {
namespace {

constexpr std::size_t kLongToken = 16;
constexpr std::string_view kSeparators = ":/|";

// `5f4d` has letters and digits, as no word has, nor a number: `user_7_last_1795735200`.
bool mixes_letters_and_digits(std::string_view part) {
  while (!part.empty()) {
    const std::size_t end = std::min(part.find_first_of("_-"), part.size());
    const std::string_view piece = part.substr(0, end);
    if (std::ranges::any_of(piece, is_letter) && std::ranges::any_of(piece, is_digit)) return true;
    part.remove_prefix(std::min(end + 1, part.size()));
  }
  return false;
}

bool is_token(std::string_view part) {
  if (part.find('@') != part.npos && part.find('@') > 0 && part.size() > 3) return true;
  return part.size() >= kLongToken && mixes_letters_and_digits(part) &&
         std::ranges::all_of(part, [](char c) { return is_name_character(c) || c == '-'; });
}

void add_part(std::string_view part, std::string& family) {
  if (is_token(part)) {
    family += '#';
    return;
  }
  for (std::size_t i = 0; i < part.size(); ++i) {
    const std::size_t close = part[i] == '{' ? part.find('}', i) : part.npos;
    if (close != part.npos) {
      family += "{#}";
      i = close;
    } else if (!is_digit(part[i])) {
      family += part[i];
    } else if (!family.ends_with('#')) {
      family += '#';
    }
  }
}

// Up to the next separator that is not in braces.
std::size_t end_of_part(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t close = text[i] == '{' ? text.find('}', i) : text.npos;
    if (close != text.npos) i = close;
    if (kSeparators.find(text[i]) != text.npos) return i;
  }
  return text.size();
}

}  // namespace

std::string family_of(std::string_view key) {
  std::string family;
  while (!key.empty()) {
    const std::size_t end = end_of_part(key);
    add_part(key.substr(0, end), family);
    if (end < key.size()) family += key[end];
    key.remove_prefix(std::min(end + 1, key.size()));
  }
  return family;
}

std::string siblings_of(std::string_view key) {
  const std::string_view name = without_period(key);
  const std::size_t separator = name.find_last_of(kSeparators);
  if (separator == name.npos || separator == 0) return {};
  return std::string(name.substr(0, separator + 1)) + "*" + std::string(key.substr(name.size()));
}

}  // namespace rlctl
