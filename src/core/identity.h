// Who sends a request, as far as a limiter can tell clients apart. Plain values; pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rlctl {

struct Identity {
  std::string ip;      // any spelling of an address; empty: a client without one
  std::string user;    // empty: a client without a name
  std::int64_t n = 0;  // its number among its kind, from 0
};

// `<ip>` as limit keys have it: the address without leading zeros, in full, `_` for `:` (::1 is
// 0_0_0_0_0_0_0_1), and `unknown` for none, so that all clients without an address share one key.
std::string address_in_key(std::string_view ip);

// `<user>` as limit keys have it: `:` and `%` percent-encoded, since a key's parts are told apart
// by colons: nobody can call himself `ann:blocked` and so meet the block flag of ann. No name is
// `unknown`.
std::string user_in_key(std::string_view user);

// A key's template with <ip>, <user> and <n> filled in as keys have them.
std::string key_of(std::string_view key_template, const Identity& identity);

// Any other text (a header, a path, a body): <ip> and <user> as they are, empty for none.
std::string text_of(std::string_view text_template, const Identity& identity);

}  // namespace rlctl
