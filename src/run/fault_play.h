// Plays the faults of a scenario: one function for each row of scenario/fault.h. Error(Exit::usage)
// if the target does not support the fault. One thread.
#pragma once

#include <memory>
#include <span>

#include "io/task.h"
#include "run/phase_play.h"
#include "run/target.h"
#include "scenario/fault.h"

namespace rlctl {

// What a fault can harm.
struct FaultStage {
  Target& target;
  std::span<const std::unique_ptr<PhasePlay>> phases;
};

// Ends when the fault is over: for an outage, when Redis is back. `stage` and `fault` must outlive
// the task.
Task<> play_fault(const FaultStage& stage, const Fault& fault);

}  // namespace rlctl
