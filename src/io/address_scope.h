// Which addresses may be loaded without a declaration: this machine and private networks. Any other
// address belongs to somebody who must be asked first. Any thread.
#pragma once

#include <string>
#include <vector>

#include "base/host_address.h"

namespace rlctl {

// Loopback, RFC 1918, link-local and unique local (RFC 4193) addresses, and the unspecified
// address, which Linux treats as loopback.
bool is_loopback_or_private(const HostAddress& address);

// All addresses of a host name or address. Blocks during the look-up. Throws Error(Exit::target) if
// there are none.
std::vector<HostAddress> resolve_host(const std::string& host);

}  // namespace rlctl
