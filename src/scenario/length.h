// How long a scenario's traffic takes by its own plan. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "scenario/scenario.h"

namespace rlctl {

// From the first phase's start to the last one's end, without waiting for a window to begin. Empty
// where the answers decide: a number of requests, a queue of items, a log.
std::optional<std::int64_t> scenario_length_us(const Scenario& scenario);

}  // namespace rlctl
