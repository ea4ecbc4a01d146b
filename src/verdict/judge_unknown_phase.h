// The figures of one key under aligned windows whose phase is not known.
//
// What is certain holds for every phase: max_certain and excess_certain are the least over all
// phases. What is possible holds for some phase: max_possible and the false denials are those of
// the sliding window, which includes every aligned one. The worst window and the accuracy are those
// of the phase that is best for the limiter. If that phase has no witness, other phases are not
// tried: the proof is undetermined.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/rule.h"
#include "verdict/history.h"
#include "verdict/judge_key.h"

namespace rlctl {

// Up to `most` phases at which no window certainly holds too many. Between the ends of the
// admissions' ranges nothing changes: the widest of these gaps come first.
std::vector<std::int64_t> possible_phases(const History& history, const Rule& rule,
                                          const JudgeOptions& options, std::size_t most);

RuleOpinion judge_unknown_phase(const History& history, const Rule& contract,
                                const JudgeOptions& options);

}  // namespace rlctl
