// The planned length of a scenario's traffic. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "scenario/scenario.h"

namespace rlctl {

// From the first phase's start to the last phase's end, without the waits for a window to begin.
// Empty if the length depends on the answers: a number of requests, a queue of items, a log.
std::optional<std::int64_t> scenario_length_us(const Scenario& scenario);

}  // namespace rlctl
