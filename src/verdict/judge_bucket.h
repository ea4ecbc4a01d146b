// The figures of one key under bucket(capacity, rate): token bucket, leaky bucket, GCRA.
//
// "Window" means here the span [x, y] with the largest excess over capacity + rate * (y - x):
// max_certain and max_possible count its admissions. Containment, excess and opinions work as for
// windows, with what is missing from the bucket (bucket_fill.h) in place of the depth. The
// scheduler (feasibility.h) decides between bound and containment, at the pace of GCRA,
// in exact fractions of a µs.
#pragma once

#include "policy/rule.h"
#include "verdict/history.h"
#include "verdict/judge_key.h"

namespace rlctl {

RuleOpinion judge_bucket(const History& history, const Rule& contract, const JudgeOptions& options);

// Judges one key by a bucket that refills in steps: `limit * step / window` tokens at once, at
// instants that are one step apart, up to the capacity. It is not known when: at multiples of the
// step (a limiter that counts whole seconds, or with a timer), or counted from the first request
// that found the bucket full (a limiter whose key expires). So the phase is unknown; refills are
// exactly a step apart until the bucket is full, and never closer.
//
// With a known phase, only the number of the step matters. On a clock that counts steps, such a
// bucket is one that refills evenly, so judge_bucket.h can judge it: times are mapped to
// `step * M + rank`, where the rank keeps the order within a step. M is so large that the refill
// by ranks is less than one token altogether; counts are whole, so it changes nothing.
//
// A history is cut where the bucket is certainly full. Each part gets the phase that explains it
// best. It is violated only if no phase explains a part and all were tried (a short part), or if
// bounds that hold for each phase are broken. Else the search for one placement has to settle it
// (joint_placement.h). Pure.
Figures judge_in_steps(const History& history, const Rule& rule, const JudgeOptions& options);

}  // namespace rlctl
