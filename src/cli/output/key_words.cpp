#include "cli/output/key_words.h"

#include <algorithm>

#include "base/escape.h"
#include "base/glob.h"

namespace rlctl {

// An option of its own need not be the last word, as -- would.
std::string words_for_key(std::string_view key) {
  const std::string shown = escape_for_terminal(key);
  if (key.starts_with('-')) return "--escaped " + shell_word("\\x2d" + shown.substr(1));
  if (shown != key) return "--escaped " + shell_word(shown);
  return (is_pattern(key) ? "--literal " : "") + shell_word(key);
}

// No word can hold a NUL.
std::string words_for_keys_with(std::string_view bytes) {
  std::string pattern = "*" + escape_pattern(bytes) + "*";
  std::ranges::replace(pattern, '\0', '?');
  return shell_word(pattern);
}

}  // namespace rlctl
