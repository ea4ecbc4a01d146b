// What Redis says of its own CPU time and version (INFO). Asks through a connection; where INFO is
// refused (ACL) there are no figures, which is not an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/redis.h"

namespace rlctl {

// CPU time since the server's start, of the thread that runs commands (6.0 and later; older: of the
// whole process).
Task<std::optional<std::int64_t>> server_cpu_us(Redis& redis);

// "redis 7.0.15" or "valkey 8.0.1"; empty when refused.
Task<std::string> server_version(Redis& redis);

// The value of `name` in the reply of INFO; empty when it is not there.
std::string info_field(const std::string& info, const std::string& name);

}  // namespace rlctl
