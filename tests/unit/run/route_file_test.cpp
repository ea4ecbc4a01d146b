#include "run/route_file.h"

#include <doctest/doctest.h>

using namespace rlctl;

namespace {

bool says(const std::string& text, const std::string& words) {
  const RouteFile file = parse_route_file("routes.json", text);
  INFO(file.mistakes);
  return file.mistake_count > 0 && file.mistakes.find(words) != std::string::npos;
}

std::string with_route(const std::string& members) { return "{\"routes\": [{" + members + "}]}"; }

const std::string kWhole =
    R"("path": "/a", "algo": "sliding", "key": "k:<ip>", "limit": 20, "window": "1m30s")";

}  // namespace

TEST_CASE("a file of routes has each route's path, algorithm and policy") {
  const RouteFile file = parse_route_file("routes.json", R"({
    // what is public
    "routes": [
      {"path": "/a", "algo": "sliding", "key": "k:<ip>", "limit": 20, "window": "60s",
       "block": "2m"},
      {"path": "/b", "key": "u:<user>", "rules": "bucket 9 + 5/1s & 100/1m"}
    ]})");
  CHECK(file.mistakes == "");
  REQUIRE(file.routes.size() == 2);
  CHECK(file.routes[0].path == "/a");
  CHECK(file.routes[0].algorithm == "sliding");
  CHECK(file.routes[0].policy.key == "k:<ip>");
  CHECK(file.routes[0].policy.limit == 20);
  CHECK(file.routes[0].policy.window_us == 60'000'000);
  CHECK(file.routes[0].policy.block_us == 120'000'000);
  CHECK(file.routes[1].algorithm == "token-bucket");  // of the first rule
  CHECK(file.routes[1].policy.capacity == 9);
  CHECK(rules_text(file.routes[1].policy.rules) == "bucket 9 + 5/1s & 100/1m");
}

TEST_CASE("a route may be guarded by a command") {
  const RouteFile file = parse_route_file("routes.json", R"({"routes": [{"path": "/a", "key": "k",
    "rules": "9/1s", "command": "INCR <key>", "allowed": "reply <= limit"}]})");
  CHECK(file.mistakes == "");
  CHECK(file.routes.at(0).algorithm == "");
  CHECK(file.routes.at(0).manifest == "command = INCR <key>\nreply = allowed = reply <= limit\n");
  CHECK(says(with_route(kWhole + R"(, "command": "INCR <key>", "algo": "fixed")"), "not both"));
  CHECK(says(with_route(kWhole + R"(, "command": " ")"), "the command is empty"));
  CHECK(says(with_route(kWhole + R"(, "allowed": "reply")"), "add \"command\""));
}

TEST_CASE("a mistake in a file of routes is reported with its place") {
  CHECK(says(with_route(kWhole + ", \"limt\": 3"), "did you mean 'limit'?"));
  CHECK(says(with_route(kWhole + ", \"limit\": 3"), "routes.json:1:"));
  CHECK(says(with_route(kWhole + ", \"block_key\": \"b\""), "unknown key 'block_key'"));
  CHECK(says(with_route(kWhole) + "x", "routes.json:1:"));
  CHECK(says(R"({"rotes": []})", "did you mean 'routes'?"));
  CHECK(says(R"({"routes": []})", "add a route"));
  CHECK(says(R"({"routes": {}})", "expected"));
  CHECK(says("[]", "expected an object"));
  CHECK(says(with_route(R"("path": "/a", "key": "k", "limit": 0, "window": "60")"), "limit"));
  CHECK(says(with_route(R"("path": "/a", "key": "k", "limit": 1, "window": "60")"), "window"));
  CHECK(says(with_route(R"("key": "k", "limit": 1, "window": "60s")"), "'path' is missing"));
  CHECK(says("{\"routes\": [{" + kWhole + "}, {" + kWhole + "}]}", "is used twice"));
}

TEST_CASE("all mistakes of a file of routes are reported at once") {
  const RouteFile file = parse_route_file(
      "routes.json", R"({"routes": [{"path": 7, "limit": "x", "window": "60", "kex": "k"}]})");
  CHECK(file.mistake_count >= 5);  // path, limit, window, kex, and the missing key
}
