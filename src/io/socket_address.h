// Converts socket addresses to values of base/host_address.h. Any thread.
#pragma once

#include <optional>

#include "base/host_address.h"

struct sockaddr;

namespace rlctl {

// For AF_INET and AF_INET6; empty for any other family.
std::optional<HostAddress> host_address_of(const sockaddr& address);

}  // namespace rlctl
