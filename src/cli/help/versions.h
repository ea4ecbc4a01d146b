// Which rlctl this is, and which libraries it was built with and runs with.
#pragma once

#include <string>

namespace rlctl {

// "rlctl 0.1.0" on the first line, then a library a line. Where a shared library can tell its own
// version, and is another than that of the headers, both are shown.
std::string versions_text();

}  // namespace rlctl
