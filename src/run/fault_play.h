// Plays the faults of a scenario: one function for each row of scenario/fault.h. Error(Exit::usage)
// if the target does not support the fault. One thread.
#pragma once

#include <memory>
#include <span>

#include "io/task.h"
#include "run/phase_play.h"
#include "run/target.h"
#include "scenario/scenario.h"

namespace rlctl {

// What a fault can harm.
struct FaultStage {
  Target& target;
  std::span<const std::unique_ptr<PhasePlay>> phases;
  PlayClock& clock;      // stopped when nobody needs a fault any more, which ends it early
  std::string key = {};  // asked for most often so far: of a cluster, its master is harmed

  FaultSpan span_of(const Fault& fault) const { return {clock, fault.down_us}; }
};

// Ends when the fault is over: for an outage, when Redis is back. `stage` and `fault` must outlive
// the task.
Task<> play_fault(const FaultStage& stage, const Fault& fault);

}  // namespace rlctl
