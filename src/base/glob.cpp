#include "base/glob.h"

#include "base/text.h"

namespace rlctl {
namespace {

constexpr std::string_view kWild = "*?[";

// The position of the first wildcard, or npos. A backslash escapes the next byte.
std::size_t first_wildcard(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (kWild.find(text[i]) != kWild.npos)
      return i;
  }
  return text.npos;
}

}  // namespace

bool is_pattern(std::string_view text) { return first_wildcard(text) != text.npos; }

bool has_literal(std::string_view pattern) {
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size())
      ++i;
    else if (pattern[i] == (in_class ? ']' : '['))
      in_class = !in_class;
    const bool fixed = is_letter(pattern[i]) || is_digit(pattern[i]);
    if (!in_class && (fixed || (static_cast<unsigned char>(pattern[i]) & 0x80) != 0)) return true;
  }
  return false;
}

std::string literal_prefix(std::string_view pattern) {
  const std::string_view head = pattern.substr(0, first_wildcard(pattern));
  std::string prefix;
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (head[i] == '\\' && i + 1 < head.size()) ++i;
    prefix += head[i];
  }
  return prefix;
}

std::string escape_pattern(std::string_view bytes) {
  std::string pattern;
  for (const char c : bytes) {
    if (kWild.find(c) != kWild.npos || c == ']' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace rlctl
