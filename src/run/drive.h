// Drive: arrivals × limiters → records. All traffic is played by this one loop: a virtual user is a
// coroutine that takes the next arrival, waits until it is due, lets its limiter decide and records
// both. The Traffic determines whether the load is open or closed, counted or timed, with or
// without retries; the clock determines whether time is real or virtual.
//
// Borrows everything it is given, until `ended` is open. One thread.
//
// The room run: it brings plans, limiters and clocks together. Scenarios and servers are at the
// top, run/bench measures, run/explore tries every interleaving on its own model of Redis,
// run/played concludes from the logs of a scenario.
// - It includes all rooms below it: compare, scenario, verdict, arrivals, limiter, log, policy, io
//   and base.
// - It must not know options of the command line or print anything: it returns results as values.
//
// Begin with this file and play_clock.h. Then: scenario_run.h (a whole scenario), phase_play.h (one
// phase of it), target.h (what it is played against), bench/bench.h, explore/explore.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrivals/drawn_number.h"
#include "arrivals/traffic.h"
#include "io/latch.h"
#include "limiter/limiter.h"
#include "log/record.h"
#include "policy/identity.h"
#include "run/client_names.h"
#include "run/play_clock.h"

namespace rlctl {

// What a user does if its target does not answer: stop for good, or go on with its next arrival.
enum class OnLoss : std::uint8_t { stop, go_on };

// What a user does with an admission, if its limiter has a finish.
struct Holding {
  DrawnNumber hold_us;
  double vanishing_share = 0;
  std::optional<DrawnNumber> actual_cost;
  std::uint64_t seed = 0;  // of what is drawn for each request
  Log& log;                // gets the finishes
};

struct Drive {
  PlayClock& clock;
  Traffic& traffic;
  std::span<Limiter* const> users;
  std::span<const std::string> keys;     // indexed by Arrival::key
  std::span<const Identity> identities;  // indexed by Arrival::client; may be empty
  std::vector<Record>& records;          // appended to, in order of completion
  OnLoss on_loss = OnLoss::stop;
  std::span<const std::int64_t> clock_offsets_us = {};  // by user; empty: all clocks are correct
  Holding* holding = nullptr;                           // null: nobody finishes
  ClientNames* names = nullptr;                         // null: nobody counts by them

  // Why there was no decision: the first such reason.
  std::string problem = {};
  bool lost = false;           // some requests got no answer, or were refused before they ran
  bool script_failed = false;  // an error, and nobody knows what the script did before it
  std::size_t users_playing = 0;
  // Opens when the traffic is exhausted or the run is stopped, and every user has its last answer.
  Latch ended{clock.loop()};
};

// Spawns the users on the clock's loop; several drives can share one loop.
void spawn_users(Drive& drive);

// The record of a decision on an arrival that a user took at taken_us.
Record make_record(const Arrival& arrival, const Decision& decision, std::int64_t taken_us);

}  // namespace rlctl
