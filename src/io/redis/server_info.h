// CPU time and version that Redis reports in INFO, read over a connection. If INFO is refused
// (ACL), there are no figures; that is not an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/redis/redis.h"

namespace rlctl {

// CPU time since the server's start, in µs: of the thread that runs commands (Redis 6.0 and later),
// or of the whole process (older). Of a cluster: of all masters.
Task<std::optional<std::int64_t>> server_cpu_us(Redis& redis);

// The same by server (Redis::servers()); below 0: refused.
struct ServerCpu {
  std::string name;
  std::int64_t us = -1;
};
Task<std::vector<ServerCpu>> cpu_by_server(Redis& redis);

// "redis 7.0.15" or "valkey 8.0.1"; empty if INFO is refused.
Task<std::string> server_version(Redis& redis);

// The value of `name` in the reply of INFO; empty if it is missing.
std::string info_field(const std::string& info, const std::string& name);

// The same of HELLO without arguments (from Redis 6 on), which more users may send.
std::string hello_field(const Reply& hello, std::string_view name);

}  // namespace rlctl
