// ExploreProbe: what happens to later requests, sent one by one and long after the schedule.
// Borrows the program; caches its results by the state of Redis. One thread.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "policy/policy.h"
#include "run/explore/step_program.h"

namespace rlctl {

// The gap between later requests, in windows, and their number: enough to fill a counter that never
// resets.
inline constexpr std::int64_t kProbeGapWindows = 10;
std::int64_t probes_for(const Policy& policy);

// One request, alone.
Outcome decide_alone(StepProgram& program, RedisModel& redis, const ProgramStart& start);

class ExploreProbe {
 public:
  ExploreProbe(StepProgram& program, const Policy& policy) : program_(program), policy_(policy) {}

  std::vector<Outcome> outcomes(const RedisModel& redis);

  // True if the last two later requests are denied, although the gap before each is many windows.
  bool is_blocked(const RedisModel& redis);

 private:
  StepProgram& program_;
  Policy policy_;
  std::unordered_map<std::string, bool> known_;
};

}  // namespace rlctl
