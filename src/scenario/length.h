// The planned times of a scenario's traffic. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "scenario/scenario.h"

namespace rlctl {

// From the first phase's start to the last phase's end, without the waits for a window to begin.
// Empty if the length depends on the answers: a number of requests, a queue of items, a log.
std::optional<std::int64_t> scenario_length_us(const Scenario& scenario);

// When a moment is planned, after the start of the scenario. Empty if that depends on the answers,
// or on when a window begins.
std::optional<std::int64_t> planned_time_us(const Scenario& scenario, const Moment& moment);

// Whether all requests are planned for before that moment, and none can come back later.
bool is_after_traffic(const Scenario& scenario, const Moment& moment);

}  // namespace rlctl
