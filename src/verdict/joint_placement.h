// One placement of the admissions that keeps several rules. Pure.
#pragma once

#include "verdict/feasibility.h"
#include "verdict/history.h"
#include "verdict/verdict.h"

namespace rlctl {

// yes: such a placement was found. no: there is none; only said if the paces of all rules are exact
// in whole µs and an earlier start never delays a later one (sliding windows, and windows of the
// clock with a known phase).
Schedulable place_jointly(const History& history, const Rules& rules, const JudgeOptions& options);

}  // namespace rlctl
