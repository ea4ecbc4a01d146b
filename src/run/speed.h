// One measurement of speed: a contestant under one kind of traffic, for one round.
#pragma once

#include <string>
#include <vector>

#include "core/bench_result.h"
#include "core/traffic.h"
#include "run/contestant.h"

namespace rlctl {

// Plays the traffic, puts every decision into `records` instead of what was there, and computes
// the figures from them and from the CPU times of both sides, read just before and just after.
// `problem`: why users stopped.
Task<SpeedRound> measure_speed(Loop& loop, Redis& control, Contestant& contestant, SteadyPlan plan,
                               const std::vector<std::string>& keys, std::vector<Record>& records,
                               std::string& problem);

// The figures that follow from records alone.
SpeedRound summarize_speed(const std::vector<Record>& records, std::int64_t elapsed_us);

}  // namespace rlctl
