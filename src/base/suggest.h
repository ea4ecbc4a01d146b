// Suggestions: an existing name for an unknown one, and what to do beside what is wrong. Pure;
// never fails.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace rlctl {

// "did you mean 'sliding'?", or "" if no candidate is near. The shortest candidate that starts with
// `word` is preferred, then the nearest one within a third of the word's length. Case is ignored.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// The number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`
// (Damerau-Levenshtein, optimal string alignment). O(|a| * |b|) time, bytes compared.
std::size_t edit_distance(std::string_view a, std::string_view b);

// "what; hint". What others say (a server, a library) may end in a full stop, which is left out.
std::string with_hint(std::string what, const std::string& hint);

}  // namespace rlctl
