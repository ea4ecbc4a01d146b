// What each of several targets decided: beside a verdict on all of them, it shows one that is away.
// Plain values; pure. O(n).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "log/record.h"

namespace rlctl {

struct TargetCounts {
  std::string target;         // its name in Log::targets
  std::int64_t requests = 0;  // the sum of the following
  std::int64_t allowed = 0;
  std::int64_t denied = 0;
  std::int64_t unknown = 0;
  std::int64_t failed = 0;

  void add(const Record& record);
  // The same target in another part of the log.
  void join(const TargetCounts& other);
  std::int64_t decided() const { return allowed + denied; }
};

// In the order of Log::targets; empty if one limiter decided.
std::vector<TargetCounts> counts_by_target(const Log& log);

}  // namespace rlctl
