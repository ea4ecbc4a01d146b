#include "io/socket_address.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

namespace rlctl {

std::optional<HostAddress> host_address_of(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in&>(address).sin_addr, 4);
    return host_address_v4(bytes);
  }
  if (address.sa_family == AF_INET6) {
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, 16);
    return host_address_v6(bytes);
  }
  return std::nullopt;
}

}  // namespace rlctl
