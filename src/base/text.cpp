#include "base/text.h"

#include <algorithm>

namespace rlctl {

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && lower(a[i]) != lower(b[i])) return false;
  return true;
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

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

namespace {

// Appends what stands in quotes, and removes it with its last quote; false if that is missing.
bool take_quoted(std::string_view& rest, char quote, std::string& word) {
  while (!rest.empty() && rest.front() != quote) {
    const bool escapes =
        quote == '"' && rest.size() > 1 && rest[0] == '\\' && (rest[1] == '"' || rest[1] == '\\');
    if (escapes) rest.remove_prefix(1);
    word += rest.front();
    rest.remove_prefix(1);
  }
  if (rest.empty()) return false;
  rest.remove_prefix(1);
  return true;
}

// Appends the next word, up to a blank.
bool take_word(std::string_view& rest, std::string& word) {
  while (!rest.empty() && kBlanksAndLineEnds.find(rest.front()) == std::string_view::npos) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '\'' || c == '"') {
      if (!take_quoted(rest, c, word)) return false;
      continue;
    }
    if (c == '\\' && rest.empty()) return false;
    word += c == '\\' ? rest.front() : c;
    if (c == '\\') rest.remove_prefix(1);
  }
  return true;
}

}  // namespace

std::optional<std::vector<std::string>> shell_words(std::string_view line) {
  std::vector<std::string> words;
  for (line = trimmed(line, kBlanksAndLineEnds); !line.empty();
       line = trimmed(line, kBlanksAndLineEnds))
    if (!take_word(line, words.emplace_back())) return std::nullopt;
  return words;
}

}  // namespace rlctl
