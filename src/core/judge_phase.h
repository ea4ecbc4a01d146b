// The figures of one key under aligned windows whose phase is not known.
//
// What is certain is so for every phase: max_certain and excess_certain are the least over all of
// them. What is possible is so for some: max_possible and false denials are those of the sliding
// window, which holds every aligned one. The worst window and the accuracy are shown at the phase
// that speaks best for the limiter; where that phase yields no witness, other phases were not
// tried: undetermined.
#pragma once

#include "core/history.h"
#include "core/policy.h"
#include "core/verdict.h"

namespace rlctl {

Figures judge_unknown_phase(const History& history, const Contract& contract,
                            const JudgeOptions& options);

}  // namespace rlctl
