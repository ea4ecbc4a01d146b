#include "io/redis/deployment/command_route.h"

#include <doctest/doctest.h>

#include <string>

#include "io/redis/command.h"

using namespace rlctl;

namespace {

// "key k", "any", "all", "scan"
template <typename... Words>
std::string route(const Words&... words) {
  const std::string wire = encode_command(words...);
  const CommandRoute route = route_of(wire);
  switch (route.request) {
    case RequestPolicy::by_key:
      return "key " + std::string(route.key);
    case RequestPolicy::any_shard:
      return "any";
    case RequestPolicy::all_shards:
      return "all";
    case RequestPolicy::scan:
      return "scan";
  }
  return {};
}

}  // namespace

TEST_CASE("a command goes where its first key lives") {
  CHECK(route("GET", "k") == "key k");
  CHECK(route("get", "a key\r\nwith $3 in it") == "key a key\r\nwith $3 in it");
  CHECK(route("EVALSHA", "sha", "2", "k1", "k2", "arg") == "key k1");
  CHECK(route("eval", "return 1", "0", "k1") == "any");
  CHECK(route("FCALL", "f", "1", "k") == "key k");
  CHECK(route("OBJECT", "IDLETIME", "k") == "key k");
  CHECK(route("MEMORY", "USAGE", "k") == "key k");
  CHECK(route("CL.THROTTLE", "k", "1") == "key k");  // a module's command
  CHECK(route("SET", "", "v") == "key ");
}

TEST_CASE("a command without a key goes to one master or to all") {
  CHECK(route("PING") == "any");
  CHECK(route("MEMORY", "STATS") == "any");
  CHECK(route("SCRIPT", "LOAD", "return 1") == "all");
  CHECK(route("script", "exists", "sha") == "all");
  CHECK(route("FUNCTION", "LIST") == "any");
  CHECK(route("FUNCTION", "LOAD", "x") == "all");
  CHECK(route("DBSIZE") == "all");
  CHECK(route("SCAN", "0") == "scan");
}

TEST_CASE("how the answers of all masters become one") {
  CHECK(route_of(encode_command("DBSIZE")).response == ResponsePolicy::sum);
  CHECK(route_of(encode_command("SCRIPT", "EXISTS", "a")).response == ResponsePolicy::logical_and);
  CHECK(route_of(encode_command("SCRIPT", "LOAD", "a")).response == ResponsePolicy::first);
}

TEST_CASE("a command that is cut off anywhere is read without a crash") {
  const std::string wire = encode_command("EVALSHA", "sha", "1", "key", "argument");
  REQUIRE(wire.size() > 50);
  for (std::size_t size = 0; size < wire.size(); ++size) {
    const CommandRoute route = route_of(std::string_view(wire).substr(0, size));
    CHECK(route.key.size() <= 3);
  }
}
