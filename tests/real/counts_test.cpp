// What `inspect` reads from the keys of real limiters, against what their own API says of them.
#include <doctest/doctest.h>

#include "cli/support/test_redis.h"
#include "real/judged.h"
#include "real/server.h"

using namespace rlctl::test;

namespace {

struct Counting {
  std::string layout;
  Arguments program;
};

const Arguments kNode{"env", "NODE_PATH=" RLCTL_NODE_PACKAGES "/node_modules", "node",
                      RLCTL_SOURCE_DIR "/tests/real/counted.js"};
const Arguments kPhp{"php", RLCTL_SOURCE_DIR "/tests/real/counted.php"};
// Debian's, wherever another one is on PATH.
const Arguments kPython{"/usr/bin/python3", RLCTL_SOURCE_DIR "/tests/real/counted.py"};
const Arguments kRuby{"/usr/bin/ruby", RLCTL_SOURCE_DIR "/tests/real/counted.rb"};

const Counting kOfNpm[] = {{"rate-limiter-flexible", kNode},  {"rate-limit-redis", kNode},
                           {"fastify-rate-limit", kNode},     {"upstash-fixed-window", kNode},
                           {"upstash-sliding-window", kNode}, {"upstash-token-bucket", kNode}};
const Counting kOfDebian[] = {{"laravel", kPhp},
                              {"laravel-redis-throttle", kPhp},
                              {"limits-fixed-window", kPython},
                              {"limits-moving-window", kPython},
                              {"rack-attack", kRuby}};

// What the API of the library says after so many more requests.
Json counted(const Counting& library, const TestRedis& redis, int requests) {
  Arguments arguments(library.program.begin() + 1, library.program.end());
  const std::string socket = redis.url().substr(sizeof "unix://" - 1);
  arguments.insert(arguments.end(), {library.layout, socket, std::to_string(requests)});
  const Outcome outcome = run_program(library.program.front(), arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit == 0);
  return Json::parse(outcome.out);
}

void check_counts(const Counting& library) {
  CAPTURE(library.layout);
  TestRedis redis;
  const Json api = counted(library, redis, 7);
  const Arguments inspect{"inspect", "u1", "--json", "--policy",
                          library.layout == "upstash-token-bucket" ? "bucket 10 + 1/1h" : "10/1h"};
  const Json limiters = Json::parse(redis.rlctl(inspect).out)["limiters"];
  REQUIRE(limiters.size() == 1);
  const Json& read = limiters[0]["library"];
  CAPTURE(read.dump());
  CHECK(read["layouts"] == Json::array({library.layout}));
  CHECK(read["client"] == "u1");
  for (const auto& [name, number] : api.items())
    CHECK(read.value(name + "_if_it_counts", read[name]) == number);
  CHECK(redis.rlctl({"reset", "u1", "--yes"}).exit == 0);
  const Json free = counted(library, redis, 0);
  for (const auto& [name, number] : free.items()) CHECK(number == (name == "used" ? 0 : 10));
  CHECK(Json::parse(redis.rlctl(inspect).out)["limiters"].empty());
}

}  // namespace

TEST_CASE("inspect gives the number of an npm library's own API, before and after reset") {
  if (!has_node_packages()) return;
  for (const Counting& library : kOfNpm) check_counts(library);
}

TEST_CASE("inspect gives the number of a Debian library's own API, before and after reset") {
  for (const Counting& library : kOfDebian) check_counts(library);
}
