#include "redis/refusal.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "io/loop.h"
#include "io/redis/connection.h"

namespace rlctl::test {

std::string refusal(const Endpoint& endpoint) {
  Loop loop;
  Connection connection(loop);
  try {
    loop.run(connection.connect(endpoint));
    CHECK(connection.is_open());
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::target);
    CHECK_FALSE(connection.is_open());
    return error.what() + (" | " + error.hint());
  }
  return {};
}

bool refused_with(const Endpoint& endpoint, const std::string& words) {
  const std::string said = refusal(endpoint);
  INFO(said);
  const bool found = said.find(words) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace rlctl::test
