// The time of a run: µs since 1970, monotonic. It is set from wall time once, at first use, so that
// a clock step during a run (NTP, an operator) can't reverse intervals. To compare server stamps
// with it, use the offset that the run itself bounds. Any thread.
#pragma once

#include <cstdint>

namespace rlctl {

std::int64_t now_us();

// CPU time of this process since its start, user and system.
std::int64_t process_cpu_us();

}  // namespace rlctl
