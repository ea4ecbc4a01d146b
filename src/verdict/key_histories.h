// The admissions (and unknowns) of each key of a log, as intervals in one clock: what curves over
// all keys are computed from. Pure; throws Error(Exit::usage) when a record has no time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verdict/history.h"
#include "verdict/verdict.h"

namespace rlctl {

// One for each key that has any, in the order of Log::keys; denials are left out.
std::vector<History> admissions_by_key(const Log& log, const JudgeOptions& options);

// The frame in which they are placed: the limiter's stamps where they can be used.
Frame frame_of_curves(const Log& log, const JudgeOptions& options);

// From the first to the last admission of a key, the longest of all; 0 without.
std::int64_t longest_span_us(std::span<const History> histories);

}  // namespace rlctl
