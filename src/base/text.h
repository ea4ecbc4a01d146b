// Characters, letter case, and cutting, joining and numbers of text. ASCII only, without locales.
// Pure; never fails. UTF-8 is in base/utf8.h, durations and counts in base/units.h.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace rlctl {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

// A letter, a digit or `_`, as in the names of most languages.
constexpr bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// The value of a hexadecimal digit, or -1.
constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  return lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1;
}

std::string lower_case(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);

inline constexpr std::string_view kBlanks = " \t";
inline constexpr std::string_view kBlanksAndLineEnds = " \t\r\n";

// The text without these characters at its ends. Inline, because each response over HTTP trims ten
// texts; not by find_first_not_of, which calls memchr for each character.
constexpr std::string_view trimmed(std::string_view text, std::string_view characters = kBlanks) {
  const auto is_cut = [characters](char c) {
    for (const char one : characters)
      if (one == c) return true;
    return false;
  };
  while (!text.empty() && is_cut(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_cut(text.back())) text.remove_suffix(1);
  return text;
}

// Removes the part before the first `separator` from the front, with the separator, and returns it:
// all of the rest if there is none.
std::string_view take_until(std::string_view& rest, char separator);

// The parts between separators. A separator at the end is not followed by an empty part, so that
// split(text, '\n') gives lines. "" has no parts.
std::vector<std::string> split(std::string_view text, char separator);

// With blanks in place of its line ends.
std::string one_line(std::string text);

// The words of a command line as a POSIX shell cuts them: by blanks, quotes and backslashes, and
// nothing else has a meaning. Empty if a quote or a backslash is left open.
std::optional<std::vector<std::string>> shell_words(std::string_view line);

template <typename Texts>
std::string joined(const Texts& texts, std::string_view separator = ", ") {
  std::string all;
  bool first = true;
  for (const auto& text : texts) {
    if (!first) all += separator;
    all += text;
    first = false;
  }
  return all;
}

// The number, if the whole text is one and it fits; `format`: a base, or a std::chars_format.
template <typename Number, typename... Format>
std::optional<Number> parse_whole(std::string_view text, Format... format) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number, format...);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace rlctl
