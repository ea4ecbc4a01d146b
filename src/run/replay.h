// A recorded log as a schedule: the same keys, costs and gaps between requests, whatever came of
// them then.
#pragma once

#include <string>
#include <vector>

#include "core/traffic.h"

namespace rlctl {

struct ReplayPlan {
  std::vector<std::string> keys;
  std::vector<Arrival> arrivals;  // ascending, the first at 0; `client` counts in keys
};

// Throws Error(Exit::usage) for a file that can't be read as a log, or that holds nothing.
ReplayPlan plan_replay(const std::string& path);

}  // namespace rlctl
