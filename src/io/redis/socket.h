// Opening a non-blocking stream socket to an Endpoint, by TCP or a unix path. The caller owns the
// descriptor that comes back. Error(Exit::target) says who refused and what to do.
#pragma once

#include "io/loop.h"
#include "io/redis/endpoint.h"

namespace rlctl {

// TCP_NODELAY and close-on-exec are set. Tries each address of a host name in turn; gives up after
// endpoint.timeout_us in all.
Task<int> open_socket(Loop& loop, Endpoint endpoint);

}  // namespace rlctl
