#include "base/shell_words.h"

#include <algorithm>
#include <array>

namespace rlctl {

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

std::string without_password(const std::string& word) {
  const auto from = word.find("://");
  const auto to = word.rfind('@');
  if (from == word.npos || to == word.npos || to < from) return word;
  return word.substr(0, from + 3) + "..." + word.substr(to);
}

std::string without_credential(const std::string& header) {
  constexpr std::array<std::string_view, 6> kSecret{"auth", "cookie", "token",
                                                    "key",  "secret", "password"};
  const std::size_t colon = header.find(':');
  if (colon == header.npos) return header;
  std::string name = header.substr(0, colon);
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const bool secret = std::ranges::any_of(
      kSecret, [&](std::string_view part) { return name.find(part) != name.npos; });
  return secret ? header.substr(0, colon) + ": ..." : header;
}

}  // namespace rlctl
