// IPv4 and IPv6 addresses and networks as text and as bytes, and nothing that asks a system. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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

// Dotted decimals without leading zeros, or RFC 4291 (`::`, a dotted tail). No zone, no port.
std::optional<HostAddress> parse_host_address(std::string_view text);

// RFC 5952: lower case, the longest run of zeros as `::`.
std::string format_host_address(const HostAddress& address);

// `base`/`prefix`; bits of `base` behind the prefix are 0.
struct HostNetwork {
  HostAddress base;
  int prefix = 0;

  bool contains(const HostAddress& address) const;
  // Addresses that a host can have: neither the network's own nor, in IPv4, the broadcast one;
  // networks of one or two addresses give all. At most 2^62.
  std::int64_t hosts() const;
  // The n-th of them, from 0; n < hosts().
  HostAddress host(std::int64_t n) const;
};

// "10.0.0.0/16"; an address alone is a network of one. Empty when it is neither, or when it has
// bits behind the prefix (10.0.0.7/16).
std::optional<HostNetwork> parse_host_network(std::string_view text);

}  // namespace rlctl
