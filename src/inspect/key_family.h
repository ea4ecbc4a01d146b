// How the keys of one limiter hang together by their names. Pure; bytes in, bytes out.
//
// A limiter `ratelimit:ip:1.2.3.4` may count in `…:second`, `…:minute`, `…:hour` and `…:day`, and
// keep its block flag in `…:blocked`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rlctl {

// `ratelimit:ip:1.2.3.4:minute` and `…:blocked` -> `ratelimit:ip:1.2.3.4`; other keys are their
// own.
std::string_view limiter_name(std::string_view key);

// Where the key's flag is by default (policy/key.h); a flag's key is its own.
std::string block_key_beside(std::string_view key);

bool is_block_key(std::string_view key);

// The keys that a limiter may have by this name: itself, with each ending, the block key last.
std::vector<std::string> keys_by_name(std::string_view name);

}  // namespace rlctl
