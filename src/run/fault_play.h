// Plays the faults of a scenario: one function for each row of scenario/fault.h. Error(Exit::usage)
// if the target does not support the fault. One thread.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "io/task.h"
#include "run/phase_play.h"
#include "run/target.h"
#include "scenario/scenario.h"

namespace rlctl {

// Error(Exit::usage) if a fault needs a private cluster, or replicas, and there are none. Before
// anything is sent.
void check_faults_fit(const Scenario& scenario, const std::optional<ClusterSize>& cluster);

// What a fault can harm.
struct FaultStage {
  Target& target;
  std::span<const std::unique_ptr<PhasePlay>> phases;
  std::string key = {};  // asked for most often so far: of a cluster, its master is harmed
};

// Ends when the fault is over: for an outage, when Redis is back. `stage` and `fault` must outlive
// the task.
Task<> play_fault(const FaultStage& stage, const Fault& fault);

}  // namespace rlctl
