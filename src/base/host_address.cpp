#include "base/host_address.h"

#include <arpa/inet.h>

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"

namespace rlctl {
namespace {

// inet_pton wants a string that ends with a null; `bytes` has room for the family.
bool parse_bytes(int family, std::string_view text, std::uint8_t* bytes) {
  return text.find('\0') == text.npos && inet_pton(family, std::string(text).c_str(), bytes) == 1;
}

bool bit(const HostAddress& address, int index) {
  return (address.bytes[static_cast<std::size_t>(index / 8)] >> (7 - index % 8) & 1) != 0;
}

bool has_bits_behind(const HostNetwork& network) {
  for (int i = network.prefix; i < network.base.bits(); ++i)
    if (bit(network.base, i)) return true;
  return false;
}

}  // namespace

HostAddress host_address_v4(std::span<const std::uint8_t, 4> bytes) {
  HostAddress address;
  std::copy(bytes.begin(), bytes.end(), address.bytes.begin());
  return address;
}

HostAddress host_address_v6(std::span<const std::uint8_t, 16> bytes) {
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::equal(kMapped.begin(), kMapped.end(), bytes.begin()))
    return host_address_v4(bytes.last<4>());
  HostAddress address;
  std::copy(bytes.begin(), bytes.end(), address.bytes.begin());
  address.v6 = true;
  return address;
}

std::optional<HostAddress> parse_host_address(std::string_view text) {
  const bool v6 = text.find(':') != text.npos;
  HostAddress address;
  if (!parse_bytes(v6 ? AF_INET6 : AF_INET, text, address.bytes.data())) return std::nullopt;
  return v6 ? host_address_v6(address.bytes) : address;
}

std::string format_host_address(const HostAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), text.data(), text.size());
  return text.data();
}

bool HostNetwork::contains(const HostAddress& address) const {
  if (address.v6 != base.v6) return false;
  for (int i = 0; i < prefix; ++i)
    if (bit(address, i) != bit(base, i)) return false;
  return true;
}

std::int64_t HostNetwork::hosts() const {
  const int bits = base.bits() - prefix;
  if (bits >= 62) return std::int64_t{1} << 62;
  const std::int64_t all = std::int64_t{1} << bits;
  if (bits < 2) return all;
  return all - (base.v6 ? 1 : 2);
}

HostAddress HostNetwork::host(std::int64_t n) const {
  HostAddress address = base;
  auto carry = static_cast<std::uint64_t>(n) + (base.bits() - prefix >= 2 ? 1 : 0);
  for (int i = base.bits() / 8 - 1; i >= 0 && carry > 0; --i) {
    auto& byte = address.bytes[static_cast<std::size_t>(i)];
    carry += byte;
    byte = static_cast<std::uint8_t>(carry & 0xFFU);
    carry >>= 8U;
  }
  return address;
}

std::optional<HostNetwork> parse_host_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto base = parse_host_address(text.substr(0, slash));
  if (!base) return std::nullopt;
  HostNetwork network{*base, base->bits()};
  if (slash == text.npos) return network;
  const std::string_view digits = text.substr(slash + 1);
  const auto prefix = parse_whole<unsigned>(digits);
  if (!prefix || *prefix > static_cast<unsigned>(base->bits())) return std::nullopt;
  if (digits.size() > 1 && digits[0] == '0') return std::nullopt;
  network.prefix = static_cast<int>(*prefix);
  return has_bits_behind(network) ? std::nullopt : std::optional(network);
}

HostNetwork parse_host_network(std::string_view text, std::string_view field) {
  const std::size_t slash = text.find('/');
  const std::string what = std::string(field) + ": " + in_quotes(text);
  const auto base = parse_host_address(text.substr(0, slash));
  if (!base)
    throw Error(Exit::usage, what + " is not an address or a range",
                "write 10.0.0.0/8, 192.0.2.1 or 2001:db8::/32");
  HostNetwork network{*base, base->bits()};
  if (slash != text.npos) {
    const std::int64_t prefix = parse_count(text.substr(slash + 1), field, 0);
    if (prefix > network.prefix)
      throw Error(Exit::usage, what + " has a prefix that is too long",
                  "the longest is /" + std::to_string(network.prefix));
    network.prefix = static_cast<int>(prefix);
  }
  if (has_bits_behind(network))
    throw Error(Exit::usage, what + " has bits set after the prefix",
                "write the first address of the range, or the address without /" +
                    std::to_string(network.prefix));
  return network;
}

}  // namespace rlctl
