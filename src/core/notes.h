// What is printed beside every verdict: how hard the run tested the limiter and how sharp the clock
// was. Sentences without a final stop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/clock_offset.h"
#include "core/verdict.h"

namespace rlctl {

std::vector<std::string> notes_on(const Log& log, const Contract& policy,
                                  const std::optional<Contract>& own, const ClockOffset& offset,
                                  const JudgeOptions& options);

// The most operations under way at once. 1: no race was tested.
std::int64_t most_in_flight(const Log& log);

// Why the run as a whole cannot pass: nothing was denied, or a budget is exceeded. Empty: it can.
std::string why_inconclusive(const Log& log, const JudgeOptions& options);

}  // namespace rlctl
