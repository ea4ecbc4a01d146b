// The words of an enum and what they mean, in both directions. The table of an enum stands beside
// it: `words_of(E)` gives it, and parsers, lists of choices and output read it. A row is a Word, or
// a struct of its own with `name`, `meaning` and more. Pure; never fails.
#pragma once

#include <cstddef>
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
  for (const auto& word : words_of(Meaning{}))
    if (word.name == name) return word.meaning;
  return std::nullopt;
}

// "" for a value without a word.
template <typename Meaning>
constexpr const char* name_of(Meaning meaning) {
  for (const auto& word : words_of(meaning))
    if (word.meaning == meaning) return word.name;
  return "";
}

// The row of a value that has one; the last row for any other.
template <typename Meaning>
constexpr const auto& row_of(Meaning meaning) {
  const auto rows = words_of(meaning);
  std::size_t at = 0;
  while (at + 1 < rows.size() && rows[at].meaning != meaning) ++at;
  return rows[at];
}

template <typename Meaning>
std::vector<std::string> all_words() {
  std::vector<std::string> names;
  for (const auto& word : words_of(Meaning{})) names.emplace_back(word.name);
  return names;
}

// The names of the rows with this property: words_where(&RuleRow::takes_phase).
template <typename Row>
std::vector<std::string> words_where(bool Row::*property) {
  std::vector<std::string> names;
  for (const Row& row : words_of(decltype(Row::meaning){}))
    if (row.*property) names.emplace_back(row.name);
  return names;
}

}  // namespace rlctl
