#include "base/suggest.h"

#include <algorithm>
#include <vector>

#include "base/escape.h"
#include "base/text.h"

namespace rlctl {
namespace {

constexpr std::size_t kLongestWord = 64;  // longer words are not typing errors

const std::string* shortest_completion(const std::string& word,
                                       std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  for (const std::string& candidate : candidates) {
    const bool shorter = best == nullptr || candidate.size() < best->size();
    if (shorter && lower_case(candidate).starts_with(word)) best = &candidate;
  }
  return best;
}

const std::string* nearest(const std::string& word, std::span<const std::string> candidates) {
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  const std::string* best = nullptr;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t distance = edit_distance(word, lower_case(candidate));
    const bool shares_nothing = distance >= std::max(word.size(), candidate.size());
    if (shares_nothing || distance >= best_distance) continue;
    best_distance = distance;
    best = &candidate;
  }
  return best;
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > kLongestWord) return {};
  const std::string wanted = lower_case(word);
  const std::string* best = shortest_completion(wanted, candidates);
  if (best == nullptr) best = nearest(wanted, candidates);
  return best == nullptr ? std::string() : "did you mean " + in_quotes(*best) + "?";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substituted, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string with_hint(std::string what, const std::string& hint) {
  if (hint.empty()) return what;
  if (what.ends_with('.') && !what.ends_with("..")) what.pop_back();
  return what + "; " + hint;
}

}  // namespace rlctl
