// Which addresses are ours to load: this machine and private networks. Everything else belongs to
// somebody, who has to be asked. Any thread.
#pragma once

#include <string>
#include <vector>

#include "base/host_address.h"

namespace rlctl {

// Loopback, RFC 1918, link-local and unique local (RFC 4193) addresses, and the unspecified
// address, which Linux takes for loopback.
bool is_loopback_or_private(const HostAddress& address);

// All addresses of a name or an address; blocks while the resolver works. Error(Exit::target) when
// there are none.
std::vector<HostAddress> resolve_host(const std::string& host);

}  // namespace rlctl
