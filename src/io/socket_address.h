// Addresses as sockets have them, as values of base/host_address.h. Any thread.
#pragma once

#include <optional>

#include "base/host_address.h"

struct sockaddr;

namespace rlctl {

// Of an AF_INET or AF_INET6 socket address; nothing of another family.
std::optional<HostAddress> host_address_of(const sockaddr& address);

}  // namespace rlctl
