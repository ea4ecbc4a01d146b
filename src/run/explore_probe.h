// ExploreProbe: what becomes of those who come later, one by one and long after. Borrows the
// program; keeps what it has found out, by state of the Redis. One thread.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/policy.h"
#include "run/step_program.h"

namespace rlctl {

// How far apart they come, in windows; and how many, so that a counter that fills up is full.
inline constexpr std::int64_t kProbeGapWindows = 10;
std::int64_t probes_for(const Policy& policy);

class ExploreProbe {
 public:
  ExploreProbe(StepProgram& program, const Policy& policy) : program_(program), policy_(policy) {}

  std::vector<Outcome> outcomes(const RedisModel& redis);

  // The last two of them are denied, though nobody has been admitted for many windows.
  bool is_blocked(const RedisModel& redis);

 private:
  Outcome decide(RedisModel& redis);

  StepProgram& program_;
  Policy policy_;
  std::unordered_map<std::string, bool> known_;
};

}  // namespace rlctl
