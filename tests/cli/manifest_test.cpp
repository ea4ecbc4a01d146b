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
  const Arguments hit{"hit", "k",          "--algo", kRateInHash, "--limit",
                      "2",   "--requests", "3",      "--window",  "1m"};
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
                 "--items", "20", "--users", "20", "--on-deny", "drop", "--json", "--quiet"});
  INFO(outcome.err);
  CHECK(outcome.exit == 0);
  const json totals = json::parse(outcome.out)["totals"];
  CHECK(totals["allowed"] == 5);
  CHECK(totals["failed"] == 0);
}

TEST_CASE("a set-up script that fails is named") {
  TestRedis redis;
  redis.command({"HSET", "k", "rate", "2", "setups", "9223372036854775807"});
  const Outcome failed =
      redis.rlctl({"hit", "k", "--algo", kRateInHash, "--limit", "2", "--window", "1m"});
  CHECK(failed.exit == 3);
  CHECK(contains(failed.err, "the set-up script: "));
  CHECK(contains(failed.err, "overflow"));
}

TEST_CASE("explore sets the key up before the first client, on the model and on Redis") {
  const Arguments three{"explore", kRateInHash, "--users", "3", "--limit", "2", "--json"};
  const json sound = json::parse(run_rlctl(three).out);
  CHECK(sound["verdict"] == "holds");
  CHECK(sound["most_admitted"] == 2);
  CHECK(sound["least_admitted"] == 2);
  Arguments stricter = three;
  stricter.insert(stricter.end(), {"--contract", "1/1m"});
  const json broken = json::parse(run_rlctl(stricter).out);
  REQUIRE(broken["violations"].size() == 1);
  CHECK(broken["violations"][0]["confirmed"] == true);
}
