// Converts µs to the timeval of libevent and sockets. Pure; never fails for a value that is not
// negative.
#pragma once

#include <sys/time.h>

#include <cstdint>

namespace rlctl {

inline timeval to_timeval(std::int64_t us) {
  return {static_cast<time_t>(us / 1'000'000), static_cast<suseconds_t>(us % 1'000'000)};
}

}  // namespace rlctl
