#include "policy/identity.h"

#include <fmt/format.h>

#include <array>

#include "base/host_address.h"
#include "policy/key.h"

namespace rlctl {
namespace {

std::string fill(std::string_view text, const Identity& identity, std::string_view ip,
                 std::string_view user) {
  const std::string n = std::to_string(identity.n);
  const std::array fillings{KeyFilling{"ip", ip}, KeyFilling{"user", user}, KeyFilling{"n", n}};
  return fill_key_template(text, fillings);
}

std::string or_unknown(std::string text) { return text.empty() ? "unknown" : text; }

}  // namespace

std::string address_in_key(std::string_view ip) {
  const auto address = parse_host_address(ip);
  if (!address || !address->v6) return or_unknown(std::string(ip));
  std::string full;
  for (std::size_t i = 0; i < 16; i += 2)
    full +=
        fmt::format("{}{:x}", i == 0 ? "" : "_", address->bytes[i] << 8 | address->bytes[i + 1]);
  return full;
}

std::string user_in_key(std::string_view user) {
  std::string text;
  for (const char c : user) {
    if (c == ':' || c == '%')
      text += c == ':' ? "%3A" : "%25";
    else
      text += c;
  }
  return or_unknown(std::move(text));
}

std::string key_of(std::string_view key_template, const Identity& identity) {
  return fill(key_template, identity, address_in_key(identity.ip), user_in_key(identity.user));
}

std::string text_of(std::string_view text_template, const Identity& identity) {
  return fill(text_template, identity, identity.ip, identity.user);
}

}  // namespace rlctl
