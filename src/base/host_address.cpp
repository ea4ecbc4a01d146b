#include "base/host_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"

namespace rlctl {
namespace {

std::optional<unsigned> number(std::string_view text, unsigned most, int base) {
  unsigned value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value, base);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end || value > most)
    return std::nullopt;
  return value;
}

bool parse_v4(std::string_view text, std::uint8_t* bytes) {
  for (int i = 0; i < 4; ++i) {
    const std::size_t end = i < 3 ? text.find('.') : text.size();
    if (end == text.npos) return false;
    const std::string_view part = text.substr(0, end);
    const auto value = number(part, 255, 10);
    if (!value || (part.size() > 1 && part[0] == '0')) return false;
    bytes[i] = static_cast<std::uint8_t>(*value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

// Groups between colons, as bytes; the last may be dotted. An empty text has none.
bool parse_groups(std::string_view text, std::vector<std::uint8_t>& bytes) {
  while (!text.empty()) {
    const std::size_t end = text.find(':');
    const std::string_view part = text.substr(0, end);
    if (end == text.npos && part.find('.') != part.npos) {
      bytes.resize(bytes.size() + 4);
      return parse_v4(part, &bytes[bytes.size() - 4]);
    }
    const auto value = part.size() <= 4 ? number(part, 0xFFFF, 16) : std::nullopt;
    if (!value) return false;
    bytes.push_back(static_cast<std::uint8_t>(*value >> 8U));
    bytes.push_back(static_cast<std::uint8_t>(*value & 0xFFU));
    if (end == text.npos) return true;
    text.remove_prefix(end + 1);
    if (text.empty()) return false;
  }
  return true;
}

std::optional<HostAddress> parse_v6(std::string_view text) {
  std::array<std::uint8_t, 16> bytes{};
  std::vector<std::uint8_t> front;
  std::vector<std::uint8_t> back;
  const std::size_t gap = text.find("::");
  if (!parse_groups(text.substr(0, gap), front)) return std::nullopt;
  if (gap == text.npos) {
    if (front.size() != 16) return std::nullopt;
  } else if (!parse_groups(text.substr(gap + 2), back) || front.size() + back.size() > 14) {
    return std::nullopt;
  }
  std::copy(front.begin(), front.end(), bytes.begin());
  std::copy(back.begin(), back.end(), bytes.end() - static_cast<std::ptrdiff_t>(back.size()));
  return host_address_v6(bytes);
}

std::string format_v6(const HostAddress& address) {
  std::array<unsigned, 8> groups{};
  for (std::size_t i = 0; i < 8; ++i)
    groups[i] = static_cast<unsigned>(address.bytes[2 * i] << 8U | address.bytes[2 * i + 1]);
  std::size_t run = 0;  // the longest run of zeros, where it begins and how long it is
  std::size_t length = 1;
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t n = 0;
    while (i + n < 8 && groups[i + n] == 0) ++n;
    if (n > length) run = i, length = n;
  }
  std::string text;
  for (std::size_t i = 0; i < 8; ++i) {
    if (length > 1 && i == run) {
      text += "::";
      i += length - 1;
      continue;
    }
    if (!text.empty() && !text.ends_with(':')) text += ':';
    text += fmt::format("{:x}", groups[i]);
  }
  return text;
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
  if (text.find(':') != text.npos) return parse_v6(text);
  HostAddress address;
  if (!parse_v4(text, address.bytes.data())) return std::nullopt;
  return address;
}

std::string format_host_address(const HostAddress& address) {
  if (address.v6) return format_v6(address);
  return fmt::format("{}.{}.{}.{}", address.bytes[0], address.bytes[1], address.bytes[2],
                     address.bytes[3]);
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
  const auto prefix = number(digits, static_cast<unsigned>(base->bits()), 10);
  if (!prefix || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  network.prefix = static_cast<int>(*prefix);
  if (has_bits_behind(network)) return std::nullopt;
  return network;
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
