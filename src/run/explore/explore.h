// explore: checks every interleaving of a few clients on a model of Redis. A violation found there
// is replayed on a real Redis before it is reported.
//
// There are two passes: the clients alone, then the clients with the events that may happen to
// them. A pass is exhaustive if the bound on states allows it; else it is bounded by preemptions
// and then continues at random (pct.h).
//
// Error(Exit::usage) if the script can't be explored. Borrows what it is given. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/work.h"
#include "limiter/script_call.h"
#include "run/explore/judged_rules.h"
#include "run/explore/space.h"
#include "verdict/outcome/explore_result.h"

namespace rlctl {

struct ExplorePlan {
  Script script;
  Policy policy;
  JudgedRules judged;  // what must hold; not empty
  std::string key;
  std::size_t clients = 3;
  ExploreEvents events;
  std::int64_t clock_spread_us = 0;         // the clock of client n is n times this ahead
  std::size_t most_states = 300'000;        // per pass
  std::uint64_t random_schedules = 10'000;  // if most_states is too few
  int depth = 3;                            // of the races that these look for
  std::uint64_t seed = 1;
  bool deny_is_violation = false;  // a false denial also counts as a violation
  std::string replay;              // play only this schedule
  WorkWatcher watcher;             // called for every state and schedule; may be empty
};

// Plays a schedule on a real Redis; sets `confirmed` or `doubt`.
using ScheduleConfirmer = std::function<void(const ExploreRules&, StepProgram&, ExploreViolation&)>;

// It is inconclusive if a rule can't be broken by so few requests (tested_rules.h).
ExploreResult explore(const ExplorePlan& plan, const ScheduleConfirmer& confirm);

// If the user does not say how many: 3, or a few more that test more rules.
std::size_t usual_clients(const ExplorePlan& plan);

}  // namespace rlctl
