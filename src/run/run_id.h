// The name of a run: part of its keys, and in its logs.
#pragma once

#include <string>

namespace rlctl {

// Eight hexadecimal digits, another each time.
std::string make_run_id();

}  // namespace rlctl
