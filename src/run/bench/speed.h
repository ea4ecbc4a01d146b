// Measures the speed of a contestant under one kind of traffic, for one round.
#pragma once

#include <string>
#include <vector>

#include "arrivals/traffic.h"
#include "result/bench_result.h"
#include "run/bench/contestant.h"

namespace rlctl {

// Plays the traffic, replaces the content of `records` with its decisions, and computes the figures
// from them and from the CPU times of both sides, read just before and just after. `problem`: set
// to the reason if users stopped early.
Task<SpeedRound> measure_speed(Loop& loop, Redis& control, Contestant& contestant, SteadyPlan plan,
                               const std::vector<std::string>& keys, std::vector<Record>& records,
                               std::string& problem);

// The figures that need only the records.
SpeedRound summarize_speed(const std::vector<Record>& records, std::int64_t elapsed_us);

}  // namespace rlctl
