// What `rlctl inspect --json` tells of limiters.
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/support/test_redis.h"

inline nlohmann::json inspected(const TestRedis& redis, Arguments arguments, int exit = 0) {
  arguments.insert(arguments.begin(), "inspect");
  arguments.push_back("--json");
  const Outcome outcome = redis.rlctl(std::move(arguments));
  CHECK(outcome.exit == exit);
  return nlohmann::json::parse(outcome.out)["limiters"];
}
