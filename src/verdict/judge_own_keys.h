// Rules that count by different keys ("10/1s, per user & 20/1s, per route"): one request then
// counts under several keys, and each is judged. Pure.
//
// - A rule that is broken under one of its keys is broken.
// - A denial is explained if any rule may be full under its key; an admission is right if every
//   rule had room under its key.
// - Holds needs one placement of all requests that are connected by keys (joint_placement.h).
#pragma once

#include "verdict/judge_key.h"
#include "verdict/judged_keys.h"

namespace rlctl {

// Sets `totals`, `by_rule` and `keys`: a row for each rule and key. Returns the history of the
// whole log.
History judge_own_keys(const JudgedLog& judged, const Rules& rules, JudgedKeys& judged_keys);

}  // namespace rlctl
