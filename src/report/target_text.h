// What each of several targets decided, as a table. Pure.
#pragma once

#include <string>
#include <vector>

#include "log/target_counts.h"

namespace rlctl {

// Empty if one limiter decided.
std::string target_table_text(const std::vector<TargetCounts>& counts, std::size_t width = 0);

}  // namespace rlctl
