// What `inspect` reads from the keys of npm limiters, against what their own API says of them.
#include <doctest/doctest.h>

#include "cli/support/test_redis.h"
#include "real/judged.h"
#include "real/server.h"

using namespace rlctl::test;

namespace {

const std::string kLibraries[] = {"rate-limiter-flexible",  "rate-limit-redis",
                                  "fastify-rate-limit",     "upstash-fixed-window",
                                  "upstash-sliding-window", "upstash-token-bucket"};

// What the API of the library says after so many more requests.
Json counted(const std::string& library, const TestRedis& redis, int requests) {
  const std::string socket = redis.url().substr(sizeof "unix://" - 1);
  const Outcome outcome = run_program("env", {"NODE_PATH=" RLCTL_NODE_PACKAGES "/node_modules",
                                              "node", RLCTL_SOURCE_DIR "/tests/real/counted.js",
                                              library, socket, std::to_string(requests)});
  INFO(outcome.err);
  REQUIRE(outcome.exit == 0);
  return Json::parse(outcome.out);
}

}  // namespace

TEST_CASE("inspect gives the number that a library's own API gives, before and after reset") {
  if (!has_node_packages()) return;
  for (const std::string& library : kLibraries) {
    CAPTURE(library);
    TestRedis redis;
    const Json api = counted(library, redis, 7);
    const Arguments inspect{"inspect", "u1", "--json", "--policy",
                            library == "upstash-token-bucket" ? "bucket 10 + 1/1h" : "10/1h"};
    const Json limiters = Json::parse(redis.rlctl(inspect).out)["limiters"];
    REQUIRE(limiters.size() == 1);
    const Json& read = limiters[0]["library"];
    CAPTURE(read.dump());
    CHECK(read["layouts"] == Json::array({library}));
    CHECK(read["client"] == "u1");
    for (const auto& [name, number] : api.items()) CHECK(read[name] == number);
    CHECK(redis.rlctl({"reset", "u1", "--yes"}).exit == 0);
    const Json free = counted(library, redis, 0);
    for (const auto& [name, number] : free.items()) CHECK(number == (name == "used" ? 0 : 10));
    CHECK(Json::parse(redis.rlctl(inspect).out)["limiters"].empty());
  }
}
