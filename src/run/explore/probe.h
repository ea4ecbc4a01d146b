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

// Before leaks are counted, requests come and end in turn for thirty leases: one each half lease,
// so that a lease that every request renews does not end. A lease is the policy's, or the longest
// TTL of a key if a script has longer ones of its own.
inline constexpr int kRequestsBeforeLeak = 60;
std::int64_t half_lease_us(const RedisModel& redis, const Policy& policy);

// One request, alone; with its finish, unless it `holds`. Returns when it is decided.
Outcome decide_alone(StepProgram& program, RedisModel& redis, const ProgramStart& start,
                     bool holds = false);

class ExploreProbe {
 public:
  ExploreProbe(StepProgram& program, const Policy& policy) : program_(program), policy_(policy) {}

  std::vector<Outcome> outcomes(const RedisModel& redis);

  // True if the last two later requests are denied, although the gap before each is many windows.
  bool is_blocked(const RedisModel& redis);

  // After all leases have ended: the outcomes of as many clients as may hold at once.
  std::vector<Outcome> holders(const RedisModel& redis);
  // True if one of these is denied.
  bool leaks(const RedisModel& redis);

 private:
  StepProgram& program_;
  Policy policy_;
  std::unordered_map<std::string, bool> known_, known_leaks_;
};

}  // namespace rlctl
