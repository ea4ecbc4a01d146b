#include "io/http/server/forwarded.h"

#include <algorithm>

#include "base/text.h"

namespace rlctl {
namespace {

bool is_trusted(const HostAddress& address, std::span<const HostNetwork> trusted) {
  return std::ranges::any_of(trusted,
                             [&](const HostNetwork& range) { return range.contains(address); });
}

// Some proxies add the port: 192.0.2.1:4711, [2001:db8::1]:4711.
std::string_view without_port(std::string_view text) {
  if (text.starts_with('[')) {
    const auto bracket = text.find(']');
    return bracket == text.npos ? text : text.substr(1, bracket - 1);
  }
  const auto colon = text.find(':');
  return colon != text.npos && colon == text.rfind(':') ? text.substr(0, colon) : text;
}

// Removes the last entry from the list and returns it.
std::string_view take_last(std::string_view& list) {
  const auto comma = list.rfind(',');
  const auto from = comma == list.npos ? 0 : comma + 1;
  const std::string_view entry = list.substr(from);
  list = list.substr(0, comma == list.npos ? 0 : comma);
  return trimmed(entry);
}

}  // namespace

HostAddress client_address(const HostAddress& peer, std::span<const std::string_view> fields,
                           std::span<const HostNetwork> trusted) {
  HostAddress client = peer;
  for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
    for (std::string_view list = *field; !list.empty();) {
      if (!is_trusted(client, trusted)) return client;
      const std::string_view entry = take_last(list);
      if (entry.empty()) continue;
      const auto before = parse_host_address(without_port(entry));
      if (!before) return client;
      client = *before;
    }
  }
  return client;
}

}  // namespace rlctl
