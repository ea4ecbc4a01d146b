// What an examination found, in words for people. Every text is plain: nothing in it was read from
// outside. Pure.
#pragma once

#include <string>

#include "probe/examination.h"

namespace rlctl {

// The result, what agrees with all answers, and what spoke against the other kinds.
std::string finding_text(const Examination& examination);
// "20/10s (sliding window)".
std::string in_words(const Hypothesis& hypothesis);
// For a progress line: what is being done, and what is left.
std::string doing_text(const Examination& examination);

}  // namespace rlctl
