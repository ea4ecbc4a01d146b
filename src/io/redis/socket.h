// Opens a non-blocking stream socket to an Endpoint, by TCP or a unix path. The caller owns the
// returned descriptor. Error(Exit::target) names the address, the reason and what to do.
#pragma once

#include "io/loop.h"
#include "io/redis/endpoint.h"

namespace rlctl {

// Sets TCP_NODELAY and close-on-exec. Tries each address of a host name in turn; gives up when
// endpoint.timeout_us has passed in total.
Task<int> open_socket(Loop& loop, Endpoint endpoint);

}  // namespace rlctl
