// FaultPlay: the faults of a scenario, each at its time, those that exclude each other one after
// another. What each does is one function for a row of scenario/fault.h. Borrows what it is given;
// must outlive the tasks of play(). One thread.
#pragma once

#include <memory>
#include <vector>

#include "io/task.h"
#include "run/phase_play.h"
#include "run/target.h"
#include "scenario/scenario_result.h"

namespace rlctl {

// What a fault can harm, and by whose time.
struct FaultStage {
  const Scenario& scenario;
  bool is_on_cluster;
  Target& target;
  PlayClock& clock;  // of the records
  const std::vector<std::unique_ptr<PolicyPlay>>& policies;
  const std::vector<std::unique_ptr<PhasePlay>>& phases;
};

class FaultPlay {
 public:
  // Each fault that begins is added to `played`.
  FaultPlay(Loop& loop, FaultStage stage, std::vector<PlayedFault>& played)
      : stage_(stage), clock_(loop), played_(played) {}

  // Ends when this fault is over: for an outage, when Redis is back. `started_us`: when the run
  // did. Error(Exit::usage) if the target does not support the fault.
  Task<> play(std::size_t index, std::int64_t started_us);
  // Nobody sends any more: what lasts ends now, what has not begun never does.
  void stop() { clock_.stop(); }

 private:
  class Lasting;
  Task<std::int64_t> origin_us(const Fault& fault, std::int64_t started_us);
  bool must_wait(const Fault& fault) const;
  Task<> wait_for_others(const Fault& fault);

  FaultStage stage_;
  WallClock clock_;
  std::vector<PlayedFault>& played_;
};

}  // namespace rlctl
