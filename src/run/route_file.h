// Reads a file of routes for `rlctl serve`: {"routes": [{"path": "/v4/movies", "algo": "sliding",
// "key": "ratelimit:ip:<ip>", "limit": 20, "window": "60s", "block": "60s"}]}, with comments, and
// with the policy members of a scenario. Pure; all mistakes are reported at once, each with its
// place.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "scenario/scenario.h"

namespace rlctl {

struct RouteSpec {
  std::string path;
  std::string algorithm;  // empty: a command, which the manifest holds
  std::string manifest;   // more manifest lines
  RunChoice run = RunChoice::as_manifest;
  Policy policy;
};

struct RouteFile {
  std::vector<RouteSpec> routes;  // do not use it if there were mistakes
  std::string mistakes;           // described, ready to be shown; ends with a newline
  std::size_t mistake_count = 0;
};

// `file`: the name used in messages.
RouteFile parse_route_file(const std::string& file, std::string text);

}  // namespace rlctl
