// A port on 127.0.0.1 on which nobody listened a moment ago, for servers that can't be asked which
// one they were given. Two callers at once get two. std::runtime_error when there is none.
#pragma once

#include <cstdint>

namespace rlctl::test {

std::uint16_t free_port();

}  // namespace rlctl::test
