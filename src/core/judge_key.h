// All figures of one key under one contract: picks the judge for the contract's kind and adds what
// is the same for all of them.
#pragma once

#include "core/history.h"
#include "core/verdict.h"

namespace rlctl {

// `contract` is complete (limit, window and capacity filled in) and not of kind none.
Figures judge_key(const History& history, const Contract& contract, const JudgeOptions& options);

// The totals of several keys: sums, the worst of what cannot be added.
Figures total_of(const std::vector<KeyFigures>& keys);

// Whether a is worse than b: certain before possible before none, then by how much.
bool worse(const Figures& a, const Figures& b);

}  // namespace rlctl
