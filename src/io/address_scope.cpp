#include "io/address_scope.h"

#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "base/escape.h"

namespace rlctl {

bool is_loopback_or_private(const HostAddress& address) {
  const std::uint8_t a = address.bytes[0];
  const std::uint8_t b = address.bytes[1];
  if (!address.v6)
    return a == 127 || a == 10 || (a == 172 && (b & 0xf0) == 16) || (a == 192 && b == 168) ||
           (a == 169 && b == 254) || address.bytes == HostAddress{}.bytes;
  const bool low = std::all_of(address.bytes.begin(), address.bytes.end() - 1,
                               [](std::uint8_t byte) { return byte == 0; });
  if (low && address.bytes[15] <= 1) return true;  // :: and ::1
  return (a & 0xfe) == 0xfc || (a == 0xfe && (b & 0xc0) == 0x80);
}

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

SocketAddress socket_address(const HostAddress& address, std::uint16_t port) {
  SocketAddress made;
  if (address.v6) {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(made.bytes);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&v6.sin6_addr, address.bytes.data(), 16);
    made.size = sizeof v6;
  } else {
    auto& v4 = reinterpret_cast<sockaddr_in&>(made.bytes);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, address.bytes.data(), 4);
    made.size = sizeof v4;
  }
  return made;
}

std::vector<HostAddress> resolve_host(const std::string& host) {
  // Always this machine (RFC 6761, section 6.3), even where no resolver knows the name: a bare
  // container has no /etc/hosts.
  if (host == "localhost") return {*parse_host_address("127.0.0.1"), *parse_host_address("::1")};
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int problem = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, [](addrinfo* list) {
    if (list != nullptr) freeaddrinfo(list);
  });
  std::vector<HostAddress> addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    const auto address = host_address_of(*entry->ai_addr);
    if (address && std::find(addresses.begin(), addresses.end(), *address) == addresses.end())
      addresses.push_back(*address);
  }
  if (problem != 0 || addresses.empty())
    throw Error(Exit::target,
                "no address for " + in_quotes(host) +
                    (problem != 0 ? std::string(": ") + gai_strerror(problem) : ""),
                "check the name, and that this machine can resolve it");
  return addresses;
}

}  // namespace rlctl
