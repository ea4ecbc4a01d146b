// What a manifest can ask for, with a real server: a set-up script, and keys made of other texts.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/test_redis.h"

using nlohmann::json;

namespace {

const std::string kRateInHash =
    std::string(RLCTL_SOURCE_DIR) + "/tests/cli/scripts/rate_in_hash.lua";

}  // namespace

TEST_CASE("a set-up script runs once, before the first decision of a key") {
  TestRedis redis;
  const Arguments hit{"hit", "k",       "--algo", kRateInHash, "--limit",
                      "2",   "--count", "3",      "--window",  "1m"};
  const Outcome outcome = redis.rlctl(hit);
  INFO(outcome.err);
  CHECK(outcome.exit == 1);  // the third is denied
  CHECK(redis.command({"HGET", "k", "setups"}).text == "1");
  const json limiters =
      json::parse(redis.rlctl({"inspect", "k", "--algo", kRateInHash, "--json"}).out)["limiters"];
  REQUIRE(limiters.size() == 1);
  REQUIRE(limiters[0]["keys"].size() == 2);
  CHECK(limiters[0]["keys"][0]["key"] == "k");
  CHECK(limiters[0]["keys"][1]["key"] == "{k}:value");
}

TEST_CASE("racing clients wait for the set-up of their key") {
  const Outcome outcome =
      run_rlctl({"simulate", "drain", "--algo", kRateInHash, "--policy", "5/1m first-hit",
                 "--items", "20", "--consumers", "20", "--on-deny", "drop", "--json", "--quiet"});
  INFO(outcome.err);
  CHECK(outcome.exit == 0);
  const json totals = json::parse(outcome.out)["totals"];
  CHECK(totals["allowed"] == 5);
  CHECK(totals["failed"] == 0);
}

TEST_CASE("a set-up script that fails is named, and explore refuses one") {
  TestRedis redis;
  redis.command({"SET", "k", "a string"});
  const Outcome failed =
      redis.rlctl({"hit", "k", "--algo", kRateInHash, "--limit", "2", "--window", "1m"});
  CHECK(failed.exit == 3);
  CHECK(contains(failed.err, "the set-up script: "));
  CHECK(contains(failed.err, "WRONGTYPE"));
  const Outcome explored = run_rlctl({"explore", kRateInHash});
  CHECK(explored.exit == 2);
  CHECK(contains(explored.err, "set-up scripts"));
}
