// How the names of one limiter's keys are related. Pure; bytes in, bytes out.
//
// A limiter `ratelimit:ip:1.2.3.4` may count in `…:second`, `…:minute`, `…:hour` and `…:day`, and
// keep its block flag in `…:blocked`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rlctl {

// `ratelimit:ip:1.2.3.4:minute` and `…:blocked` -> `ratelimit:ip:1.2.3.4`; other keys are returned
// unchanged.
std::string_view limiter_name(std::string_view key);

// The default key of the block flag (policy/key.h); the key of a flag is returned unchanged.
std::string block_key_beside(std::string_view key);

bool is_block_key(std::string_view key);

// The keys that a limiter of this name may have: the name itself, the name with each ending, and
// last the block key.
std::vector<std::string> keys_by_name(std::string_view name);

}  // namespace rlctl
