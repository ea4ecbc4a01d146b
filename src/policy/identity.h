// Who sends a request, as far as a limiter can distinguish clients. Plain values; pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rlctl {

struct Identity {
  std::string ip;      // any spelling of an address; empty: a client without one
  std::string user;    // empty: a client without a name
  std::int64_t n = 0;  // its number in its group, from 0

  bool operator==(const Identity&) const = default;
};

// `<ip>` in limit keys: the full address without leading zeros, with `_` for `:` (::1 is
// 0_0_0_0_0_0_0_1). No address gives `unknown`, so that all clients without one share one key.
std::string address_in_key(std::string_view ip);

// `<user>` in limit keys: `:` and `%` are percent-encoded, because colons separate the parts of a
// key. So a client with the name `ann:blocked` does not reach the block flag of ann. No name gives
// `unknown`.
std::string user_in_key(std::string_view user);

// Fills <ip>, <user> and <n> into the template of a key, as above.
std::string key_of(std::string_view key_template, const Identity& identity);

// Whether two templates can give the same key: `api:<user>` and `api:<ip>` can, if a user is named
// like an address. The clients of the second may be others than those of the first; all have an
// address.
bool may_meet(std::string_view key_template, std::string_view other);

// The same as key_of for any other text (a header, a path, a body): <ip> and <user> unchanged, or
// empty.
std::string text_of(std::string_view text_template, const Identity& identity);

// Finds the client in a key: the inverse of key_of(), for logs, which have keys but no clients.
// Pure.

// Uses the key's template, with or without a prefix that ends in a colon; `unknown` means no
// client. A key that does not match the template is taken as an address (as in access logs),
// otherwise as a user's name.
Identity identity_in_key(std::string_view key_template, std::string_view key);

}  // namespace rlctl
