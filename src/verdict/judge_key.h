// All figures of one key under one contract: picks the judge for the contract's kind and adds the
// figures that all kinds share.
#pragma once

#include "verdict/history.h"
#include "verdict/verdict.h"

namespace rlctl {

// `contract` is complete (limit, window and capacity filled in) and not of kind none.
Figures judge_key(const History& history, const Contract& contract, const JudgeOptions& options);

// The totals of several keys: sums, and the worst value of figures that cannot be added.
Figures total_of(const std::vector<KeyFigures>& keys);

// Whether a is worse than b: first by over-admission (certain, possible, none), then by amount.
bool worse(const Figures& a, const Figures& b);

}  // namespace rlctl
