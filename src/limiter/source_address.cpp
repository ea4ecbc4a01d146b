#include "limiter/source_address.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"

namespace rlctl {
namespace {

constexpr const char* kField = "the source address";

std::uint32_t number_of(const HostAddress& address) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | address.bytes[i];
  return number;
}

std::string text_of_number(std::uint32_t number) {
  HostAddress address;
  for (std::size_t i = 4; i-- > 0; number >>= 8)
    address.bytes[i] = static_cast<std::uint8_t>(number & 0xff);
  return format_host_address(address);
}

}  // namespace

SourceAddress::SourceAddress(const std::string& text) {
  if (text.find('<') != std::string::npos) {
    text_of(text, Identity{});  // throws if a placeholder is unknown
    template_ = text;
  } else if (text.find('/') != std::string::npos) {
    range_ = parse_host_network(text, kField);
    if (range_->base.v6)
      throw Error(Exit::usage, std::string(kField) + ": " + in_quotes(text) + " is an IPv6 range",
                  "use an IPv4 range: on loopback, 127.0.0.0/8");
  } else if (!text.empty()) {
    if (!parse_host_address(text))
      throw Error(Exit::usage, std::string(kField) + ": " + in_quotes(text) + " is not an address",
                  "give an address, a range such as 127.0.0.0/8, or <ip>");
    template_ = text;
  }
}

std::string SourceAddress::of(const Identity& identity) const {
  if (!range_) return text_of(template_, identity);
  const std::uint64_t size = std::uint64_t{1} << (32 - range_->prefix);
  const std::uint32_t first = number_of(range_->base);
  const auto address = parse_host_address(identity.ip);
  if (address && !address->v6)
    return text_of_number(first | (number_of(*address) & static_cast<std::uint32_t>(size - 1)));
  if (size <= 2) return text_of_number(first);
  const std::uint64_t n = static_cast<std::uint64_t>(std::max<std::int64_t>(0, identity.n));
  return text_of_number(first + 1 + static_cast<std::uint32_t>(n % (size - 2)));
}

}  // namespace rlctl
