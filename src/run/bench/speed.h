// Measures the speed of a contestant under one kind of traffic, for one round.
#pragma once

#include <string>
#include <vector>

#include "arrivals/traffic.h"
#include "result/bench_result.h"
#include "run/bench/contestant.h"
#include "run/drive.h"

namespace rlctl {

// Plays the traffic, replaces the content of `records` with its decisions, and computes the figures
// from them and from the CPU times of both sides, read just before and just after. `problem`: set
// to the reason if a request got no answer. With OnLoss::go_on only if Redis did not come back, or
// if the script failed: the requests without an answer are then figures of the round.
Task<SpeedRound> measure_speed(Loop& loop, Redis& control, Contestant& contestant, SteadyPlan plan,
                               const std::vector<std::string>& keys, std::vector<Record>& records,
                               std::string& problem, OnLoss on_loss);

// The figures that need only the records.
SpeedRound summarize_speed(const std::vector<Record>& records, std::int64_t elapsed_us);

}  // namespace rlctl
