// The figures of one key under anchored windows, which start at the first hit after the last one
// ended.
//
// Where every decision is known to the instant, they are replayed (anchored_replay.h). Otherwise
// only what holds for every anchor is certain: a span of less than W touches at most two windows,
// so of m admissions in it one window held at least half. That half is max_certain, and more than 2
// L in some W is the proof. A placement that keeps the sliding window keeps the anchored one too;
// failing that, the placements at the earliest, the middle and the latest instants are replayed in
// search of a witness.
#pragma once

#include "core/history.h"
#include "core/policy.h"
#include "core/verdict.h"

namespace rlctl {

Figures judge_anchored(const History& history, const Contract& contract,
                       const JudgeOptions& options);

}  // namespace rlctl
