// The admissions (and unknowns) of each key of a log, as intervals on one clock. Curves over all
// keys are computed from them. Pure; throws Error(Exit::usage) when a record has no time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verdict/history.h"
#include "verdict/verdict.h"

namespace rlctl {

// One history for each key that has admissions or unknowns, in the order of Log::keys. Denials are
// left out.
std::vector<History> admissions_by_key(const Log& log, const JudgeOptions& options);

// The frame in which they are placed. It uses the limiter's stamps if they are usable.
Frame frame_of_curves(const Log& log, const JudgeOptions& options);

// The longest time from the first to the last admission of one key; 0 without admissions.
std::int64_t longest_span_us(std::span<const History> histories);

}  // namespace rlctl
