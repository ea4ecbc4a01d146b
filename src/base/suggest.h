// What the user may have meant by a name that does not exist. Pure; never fails.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace rlctl {

// "did you mean 'sliding'?", or "" when nothing is near. A candidate that starts with `word` comes
// first (the shortest of them), then the nearest within a third of the word's length, case ignored.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`
// (Damerau-Levenshtein, optimal string alignment). O(|a| * |b|) time, bytes compared.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace rlctl
