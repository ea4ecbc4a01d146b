// The addresses of sockets and host names, and which of them may be loaded without a declaration:
// this machine and private networks. Any other address belongs to somebody who must be asked first.
// Any thread.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>
#include <vector>

#include "base/host_address.h"

namespace rlctl {

// Loopback, RFC 1918, link-local and unique local (RFC 4193) addresses, and the unspecified
// address, which Linux treats as loopback.
bool is_loopback_or_private(const HostAddress& address);

// Of a socket; empty for other families than AF_INET and AF_INET6.
std::optional<HostAddress> host_address_of(const sockaddr& address);

// For bind() and connect().
struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  const sockaddr& get() const { return reinterpret_cast<const sockaddr&>(bytes); }
};
SocketAddress socket_address(const HostAddress& address, std::uint16_t port);

// All addresses of a host name or address. Blocks during the look-up. Throws Error(Exit::target) if
// there are none.
std::vector<HostAddress> resolve_host(const std::string& host);

}  // namespace rlctl
