// Spans of time as libevent and sockets take them. Pure; never fails for a span that is not
// negative.
#pragma once

#include <sys/time.h>

#include <cstdint>

namespace rlctl {

inline timeval to_timeval(std::int64_t us) {
  return {static_cast<time_t>(us / 1'000'000), static_cast<suseconds_t>(us % 1'000'000)};
}

}  // namespace rlctl
