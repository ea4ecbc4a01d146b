// How connecting to an endpoint fails.
#pragma once

#include <string>

#include "io/redis/endpoint.h"

namespace rlctl::test {

// The error and its hint; empty if it connects.
std::string refusal(const Endpoint& endpoint);
// Checks that these words are in it.
bool refused_with(const Endpoint& endpoint, const std::string& words);

}  // namespace rlctl::test
