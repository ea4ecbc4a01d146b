// IP addresses and ranges of them, as values. An IPv4 address inside IPv6 (::ffff:192.0.2.1) is
// that IPv4 address. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sockaddr;

namespace rlctl {

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};  // IPv4: the first four
  bool is_ipv6 = false;

  bool operator==(const IpAddress&) const = default;
  std::string text() const;
};

// "192.0.2.1", "2001:db8::1"; no zones, no brackets, no names.
std::optional<IpAddress> parse_ip_address(std::string_view text);

// Of an AF_INET or AF_INET6 socket address; nothing of another family.
std::optional<IpAddress> ip_address_of(const sockaddr& address);

// All addresses that share their first bits with `first`.
struct IpRange {
  IpAddress first;
  int bits = 32;

  bool contains(const IpAddress& address) const;
};

// "10.0.0.0/8", "::1"; Error(Exit::usage) that names the field. Bits behind the prefix that are set
// ("10.0.0.1/8") are an error too: something else was meant.
IpRange parse_ip_range(std::string_view text, std::string_view field);

}  // namespace rlctl
