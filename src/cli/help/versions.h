// The versions of rlctl and of the libraries that it was built with and runs with.
#pragma once

#include <string>

namespace rlctl {

// "rlctl 0.1.0" on the first line, then one library per line. If a shared library reports another
// version than its headers, both are shown.
std::string versions_text();

}  // namespace rlctl
