// Which hypotheses the answers refute (see refutation.h), and which limits and times they leave
// open to the others. So a limiter's kind is what remains, never a guess.
//
// Where no single rule explains the answers, pairs of rules may: what the answers said of one rule
// before the first denial that it cannot have given, and a second rule for those denials. A denial
// that one of them may have given says nothing of the other.
//
// Pure. O(n) of the answers for each limit and time that is tried.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "log/record.h"
#include "probe/hypothesis.h"

namespace rlctl {

// Each answer without a decision in a row of admissions is one more limit to try. With more of them
// than this, too many would have to be tried.
inline constexpr std::size_t kMostUndecided = 8;

// An unbroken row of admissions.
struct Run {
  std::int64_t admitted = 0;
  std::int64_t after_us = kNoTime;  // the last denial before it; kNoTime: there was none
  std::int64_t from_us = 0;         // when its first admission was received
  std::int64_t to_us = 0;           // its last, or a later request that may have been admitted
  bool denied_after = false;        // a denial ended it
  // For each answer without a decision in it, or just before it, how many came before that one.
  std::vector<std::int64_t> undecided_at{};
};
std::vector<Run> runs_of(std::span<const Record> answers);

// Everything that agrees with the answers, one for each kind, the refuted ones too. `before`: what
// was found with fewer answers; empty at first. `longest_us`: no window is longer.
std::vector<Hypothesis> fit(std::span<const Record> answers, std::vector<Hypothesis> before,
                            std::int64_t longest_us);

// All pairs of a rule that was refuted, with what is known of it, and any other one.
std::vector<Hypothesis> pairs_with(std::span<const Hypothesis> refuted);

// Each answer narrows what is left, and of two rules it is not always known which one it came from:
// so a range may have become too narrow for the truth. Fits every kind to all answers anew,
// opens those that agree with them all the same, and widens ranges. Returns how many were changed.
std::int64_t open_again(std::span<const Record> answers, std::vector<Hypothesis>& hypotheses,
                        std::int64_t longest_us);

}  // namespace rlctl
