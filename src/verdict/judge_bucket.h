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

}  // namespace rlctl
