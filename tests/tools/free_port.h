// Returns a port on 127.0.0.1 that was free a moment ago, for servers that can't report their port.
// Two callers at the same time get different ports. Throws std::runtime_error if there is none.
#pragma once

#include <cstdint>

namespace rlctl::test {

std::uint16_t free_port();

}  // namespace rlctl::test
