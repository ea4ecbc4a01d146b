// A recorded log as a schedule: the same keys, costs and gaps between requests. The recorded
// outcomes are ignored.
#pragma once

#include <string>
#include <vector>

#include "arrivals/traffic.h"

namespace rlctl {

struct ReplayPlan {
  std::vector<std::string> keys;
  std::vector<Arrival> arrivals;  // ascending, the first at 0; `client` is an index into keys
};

// Throws Error(Exit::usage) if the file can't be read as a log or has no request with a time.
ReplayPlan plan_replay(const std::string& path);

}  // namespace rlctl
