// One placement of the decisions of a bucket: all admissions as early as any schedule can have them
// (feasibility.h). If each costs one token, no other placement leaves less in the bucket at any
// instant until it is full again, so this one explains a saturated bucket's denials if any does.
// Requests that the log does not show took as much before it as the admissions leave room for.
// Pure; one schedule for each bit of that amount.
#pragma once

#include "verdict/decision_sequence.h"

namespace rlctl {

// Whether that placement explains all admissions and denials; false proves nothing. The lanes may
// have other rules than one bucket: false.
bool explained_early(const Requests& requests, const Lanes& lanes, const JointFrame& frame);

}  // namespace rlctl
