#include "io/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include <algorithm>

#include "core/error.h"
#include "core/escape.h"
#include "core/units.h"

namespace rlctl {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

IpAddress from_ipv4(const void* four_bytes) {
  IpAddress address;
  memcpy(address.bytes.data(), four_bytes, 4);
  return address;
}

IpAddress from_ipv6(const void* sixteen_bytes) {
  IpAddress address;
  address.is_ipv6 = true;
  memcpy(address.bytes.data(), sixteen_bytes, 16);
  if (std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), address.bytes.begin()))
    return from_ipv4(address.bytes.data() + kMappedPrefix.size());
  return address;
}

bool bit_of(const IpAddress& address, int bit) {
  return (address.bytes[static_cast<std::size_t>(bit / 8)] >> (7 - bit % 8) & 1) != 0;
}

bool has_bits_behind(const IpRange& range) {
  for (int bit = range.bits; bit < (range.first.is_ipv6 ? 128 : 32); ++bit)
    if (bit_of(range.first, bit)) return true;
  return false;
}

}  // namespace

std::string IpAddress::text() const {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(is_ipv6 ? AF_INET6 : AF_INET, bytes.data(), text, sizeof text);
  return text;
}

std::optional<IpAddress> parse_ip_address(std::string_view text) {
  // A name's end would be the first NUL, and no address is longer than this.
  if (text.size() >= INET6_ADDRSTRLEN || text.find('\0') != text.npos) return std::nullopt;
  const std::string terminated(text);
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET, terminated.c_str(), bytes.data()) == 1) return from_ipv4(bytes.data());
  if (inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return from_ipv6(bytes.data());
  return std::nullopt;
}

std::optional<IpAddress> ip_address_of(const sockaddr& address) {
  if (address.sa_family == AF_INET)
    return from_ipv4(&reinterpret_cast<const sockaddr_in&>(address).sin_addr);
  if (address.sa_family == AF_INET6)
    return from_ipv6(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
  return std::nullopt;
}

bool IpRange::contains(const IpAddress& address) const {
  if (address.is_ipv6 != first.is_ipv6) return false;
  for (int bit = 0; bit < bits; ++bit)
    if (bit_of(address, bit) != bit_of(first, bit)) return false;
  return true;
}

IpRange parse_ip_range(std::string_view text, std::string_view field) {
  const auto slash = text.find('/');
  const std::string name(field);
  const auto first = parse_ip_address(text.substr(0, slash));
  if (!first)
    throw Error(Exit::usage, name + ": " + in_quotes(text) + " is no address or range",
                "write 10.0.0.0/8, 192.0.2.1 or 2001:db8::/32");
  IpRange range{*first, first->is_ipv6 ? 128 : 32};
  if (slash != text.npos) {
    const std::int64_t bits = parse_count(text.substr(slash + 1), field, 0);
    if (bits > range.bits)
      throw Error(Exit::usage, name + ": " + in_quotes(text) + " has too long a prefix",
                  "at most /" + std::to_string(range.bits));
    range.bits = static_cast<int>(bits);
  }
  if (has_bits_behind(range))
    throw Error(
        Exit::usage, name + ": " + in_quotes(text) + " is an address inside of a range",
        "write the range's first address, or the address without /" + std::to_string(range.bits));
  return range;
}

}  // namespace rlctl
