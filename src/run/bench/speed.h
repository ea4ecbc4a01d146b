// Measures the speed of a contestant under one kind of traffic, for one round.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "arrivals/traffic.h"
#include "policy/identity.h"
#include "result/bench_result.h"
#include "run/bench/contestant.h"
#include "run/drive.h"

namespace rlctl {

// What one thread of a measurement uses, and no other.
struct SpeedPlayer {
  Loop& loop;
  Contestant& contestant;
  std::vector<Record>& records;
};

// The clients of a measurement. A script knows the key of each; a service sees who it is.
struct BenchClients {
  std::vector<std::string> keys;
  std::vector<Identity> identities;  // of a service, else empty
};

// Plays the traffic: each of the players plays one part of it, the first on this thread and the
// others on threads of their own. Replaces the records of the first with the decisions of all, and
// computes the figures from them and from the CPU times of both sides, read just before and just
// after. `control`: who tells that of the server; null: nobody does. `problem`: set to the reason
// if a request got no answer. With OnLoss::go_on only if Redis did not come back, or if the script
// failed, or if a service decided nothing: the requests without an answer are then figures of the
// round.
Task<SpeedRound> measure_speed(Redis* control, std::span<const SpeedPlayer> players,
                               SteadyPlan plan, const BenchClients& clients, BenchProblem& problem,
                               OnLoss on_loss);

// The figures that need only the records.
SpeedRound summarize_speed(const std::vector<Record>& records, std::int64_t elapsed_us);

}  // namespace rlctl
