// What each of several targets decided, as a table. Pure.
#pragma once

#include <string>

#include "log/record.h"

namespace rlctl {

// Empty if one limiter decided.
std::string target_table_text(const Log& log);

}  // namespace rlctl
