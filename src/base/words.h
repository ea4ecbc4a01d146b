// The words of an enum and what they mean, in both directions. The table of an enum stands beside
// it: `words_of(E)` gives it, and parsers, lists of choices and output read it. Pure; never fails.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl {

template <typename Meaning>
struct Word {
  const char* name;
  Meaning meaning;
};

template <typename Meaning>
std::optional<Meaning> meaning_of(std::string_view name) {
  for (const Word<Meaning>& word : words_of(Meaning{}))
    if (word.name == name) return word.meaning;
  return std::nullopt;
}

// "" for a value without a word.
template <typename Meaning>
constexpr const char* name_of(Meaning meaning) {
  for (const Word<Meaning>& word : words_of(meaning))
    if (word.meaning == meaning) return word.name;
  return "";
}

template <typename Meaning>
std::vector<std::string> all_words() {
  std::vector<std::string> names;
  for (const Word<Meaning>& word : words_of(Meaning{})) names.emplace_back(word.name);
  return names;
}

}  // namespace rlctl
