// The result of `compare` as text: how the conditions of the runs differ, the table with words for
// every figure, and the result of each --fail-if. Pure; computes no figure of its own.
#pragma once

#include <span>
#include <string>

#include "compare/run_comparison.h"

namespace rlctl {

// `columns`: of the terminal; 0: no bound.
std::string compare_text(const RunComparison& comparison, std::span<const FailCondition> conditions,
                         std::size_t columns = 0);

// "18 % slower, certain", "no difference", "can't tell: 5 rounds".
std::string finding_in_words(const ComparedFigure& figure);

}  // namespace rlctl
