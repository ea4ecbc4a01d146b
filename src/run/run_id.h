// The name of a run, which is part of its keys and its logs.
#pragma once

#include <string>

namespace rlctl {

// Eight random hexadecimal digits.
std::string make_run_id();

}  // namespace rlctl
