// IPv4 and IPv6 addresses and networks as text and as bytes, without system calls. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rlctl {

// In network order; IPv4 uses the first four.
struct HostAddress {
  std::array<std::uint8_t, 16> bytes{};
  bool v6 = false;

  int bits() const { return v6 ? 128 : 32; }
  bool operator==(const HostAddress&) const = default;
};

// From bytes in network order. An IPv4 address inside IPv6 (::ffff:192.0.2.1) becomes that IPv4
// address, because sockets for both families report IPv4 peers in that form.
HostAddress host_address_v4(std::span<const std::uint8_t, 4> bytes);
HostAddress host_address_v6(std::span<const std::uint8_t, 16> bytes);

// Dotted decimals without leading zeros, or RFC 4291 (`::`, a dotted tail). No zone, no port.
std::optional<HostAddress> parse_host_address(std::string_view text);

// RFC 5952: lower case, the longest run of zeros as `::`.
std::string format_host_address(const HostAddress& address);

// `base`/`prefix`; bits of `base` after the prefix are 0.
struct HostNetwork {
  HostAddress base;
  int prefix = 0;

  bool contains(const HostAddress& address) const;
  // The number of addresses that a host can have: all but the network's own and, in IPv4, the
  // broadcast address. A network of one or two addresses counts all. At most 2^62.
  std::int64_t hosts() const;
  // The n-th host address, from 0; n < hosts().
  HostAddress host(std::int64_t n) const;
};

// "10.0.0.0/16"; an address alone is a network of one. Empty if it is neither, or if it has bits
// set after the prefix (10.0.0.7/16).
std::optional<HostNetwork> parse_host_network(std::string_view text);

// The same, but throws Error(Exit::usage) that names the field and the mistake.
HostNetwork parse_host_network(std::string_view text, std::string_view field);

}  // namespace rlctl
