// explore: every interleaving of a few clients, on a model of Redis; what is found there is played
// again on a real one before anybody is told.
//
// Two passes: the clients alone, then with the events that may happen to them. Each is exhaustive
// where the bound on states allows it, else bounded by preemptions, and then goes on at random.
//
// Error(Exit::usage) when the script can't be explored. Borrows what it is given. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/explore_result.h"
#include "core/work.h"
#include "limiter/script_call.h"
#include "run/explore_space.h"

namespace rlctl {

struct ExplorePlan {
  Script script;
  Policy policy;
  Contract contract;  // what must hold
  std::string key;
  std::size_t clients = 3;
  ExploreEvents events;
  std::int64_t clock_spread_us = 0;         // the n-th client's own clock is n times this ahead
  std::size_t most_states = 300'000;        // per pass
  std::uint64_t random_schedules = 10'000;  // where that is too few
  std::uint64_t seed = 1;
  bool deny_is_violation = false;  // a false denial breaks it too
  std::string replay;              // this schedule alone
  WorkWatcher watcher;             // told of every state and schedule; empty: nobody
};

// Plays a schedule on a real Redis; fills `confirmed`, or `doubt`.
using ScheduleConfirmer = std::function<void(const ExploreRules&, StepProgram&, ExploreViolation&)>;

ExploreResult explore(const ExplorePlan& plan, const ScheduleConfirmer& confirm);

}  // namespace rlctl
