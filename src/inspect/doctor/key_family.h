// Families of keys: names that differ only in the client. Pure; bytes in, bytes out.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

// Without what is no word: numbers, what is in braces, and parts that are hashes, long tokens or
// mail addresses. `rl:{#}:minute`, `LIMITS:LIMITER/#.#.#.#/login/#/#/minute`.
std::string family_of(std::string_view key);

// Without its last part, which may be a client by name: `rl:*` of `rl:ann`, `rl:*:minute` of
// `rl:ann:minute`. Empty if it has only one part.
std::string siblings_of(std::string_view key);

}  // namespace rlctl
