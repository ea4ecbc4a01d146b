// The figures of one key under anchored windows: each starts at the first hit after the end of the
// last one.
//
// If the exact time of every decision is known, they are replayed (anchored_replay.h). Otherwise
// only what holds for every anchor is certain. A span of less than W touches at most two windows,
// so one window held at least half of the m admissions in it. That half is max_certain; more than 2
// L in some W is the proof. A placement that keeps the sliding window also keeps the anchored one.
// If there is none, the placements at the earliest, the middle and the latest instants are replayed
// to find a witness.
#pragma once

#include "policy/policy.h"
#include "verdict/history.h"
#include "verdict/verdict.h"

namespace rlctl {

Figures judge_anchored(const History& history, const Contract& contract,
                       const JudgeOptions& options);

}  // namespace rlctl
