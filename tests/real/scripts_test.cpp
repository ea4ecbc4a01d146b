// The scripts of npm's and Debian's libraries, unchanged, played by rlctl instead of the library.
#include <doctest/doctest.h>

#include "cli/support/test_redis.h"
#include "real/judged.h"
#include "real/server.h"
#include "tools/folder.h"

using namespace rlctl::test;

namespace {

struct Library {
  std::string layout;
  std::string policy;  // three at once, and then for an hour nothing
  bool promises;       // its own contract
};

const Library kPlayed[] = {
    {"fastify-rate-limit", "3/1h", true},      {"rate-limit-redis", "3/1h", true},
    {"rate-limiter-flexible", "3/1h", true},   {"upstash-fixed-window", "3/1h", true},
    {"upstash-sliding-window", "3/1h", false}, {"upstash-token-bucket", "bucket 3 + 3/1h", true}};

std::string script_of(const std::string& name, const Folder& folder) {
  const Outcome outcome =
      run_program("env", {"NODE_PATH=" RLCTL_NODE_PACKAGES "/node_modules", "node",
                          RLCTL_SOURCE_DIR "/tests/real/scripts.js", name});
  INFO(outcome.err);
  REQUIRE(outcome.exit == 0);
  return folder.write(name + ".lua", outcome.out);
}

const std::string kLimits = "/usr/lib/python3/dist-packages/limits/resources/redis/lua_scripts/";

void check_hits(const Library& library, const std::string& script) {
  CAPTURE(library.layout);
  TestRedis redis;
  const Outcome hits = redis.rlctl({"hit", "u1", "--script", script, "--as", library.layout,
                                    "--policy", library.policy, "--requests", "4"});
  INFO(hits.out << hits.err);
  CHECK(hits.exit == 1);
  CHECK(std::ranges::count(hits.out, '\n') == 4);
  CHECK(contains(hits.out, "allowed, 0 of 3 left\ndenied") == library.promises);
  const Json limiters = Json::parse(
      redis.rlctl({"inspect", "u1", "--json", "--policy", library.policy}).out)["limiters"];
  REQUIRE(limiters.size() == 1);
  CHECK(limiters[0]["library"]["layouts"] == Json::array({library.layout}));
  CHECK(limiters[0]["library"]["client"] == "u1");
}

void check_contract(const Library& library, const std::string& script) {
  CAPTURE(library.layout);
  const std::string policy = library.policy[0] == 'b' ? "bucket 20 + 20/1s" : "20/1s";
  const Outcome outcome = run_rlctl({"simulate", "boundary", "--script", script, "--as",
                                     library.layout, "--policy", policy, "--json", "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.exit < 2);
  const Json played = Json::parse(outcome.out);
  CHECK(played["totals"]["denied"] > 0);
  CHECK(played["own_contract"].is_null() != library.promises);
  if (library.promises) CHECK(played["own_contract"]["verdict"] == "holds");
}

}  // namespace

TEST_CASE("npm scripts played as their library plays them store what inspect knows as theirs") {
  if (!has_node_packages()) return;
  const Folder folder;
  for (const Library& library : kPlayed) check_hits(library, script_of(library.layout, folder));
}

TEST_CASE("the script of Upstash for several regions is another version of the one for one") {
  if (!has_node_packages()) return;
  const Folder folder;
  check_contract({"upstash-sliding-window", "3/1h", false}, script_of("upstash-regions", folder));
}

TEST_CASE("bench plays npm scripts, and its log is judged by the contract of the layout") {
  if (!has_node_packages()) return;
  const Folder folder;
  const std::string script = script_of("rate-limiter-flexible", folder);
  const std::string log = folder / "bench.jsonl";
  Arguments bench{"bench",   "--script", script,     "--as",      "rate-limiter-flexible",
                  "--json",  "--quiet",  "--policy", "20/1s",     "--rounds",
                  "1",       "--for",    "50ms",     "--warm-up", "10ms",
                  "--users", "4",        "--keys",   "100",       "--log"};
  bench.push_back(log);
  const Outcome outcome = run_rlctl(bench);
  INFO(outcome.err);
  REQUIRE(outcome.exit == 0);
  const Json measured = Json::parse(outcome.out)["algorithms"][0];
  CHECK(measured["decisions_per_second"] > 0);
  CHECK(measured["attacks"].size() == 3);
  CHECK(measured["own_contract"] != "violated");
  const Json judged = Json::parse(run_rlctl({"verify", log, "--json"}).out);
  CHECK(judged["own_contract"]["verdict"] != "violated");
}

TEST_CASE("npm scripts keep the contract of their library") {
  if (!has_node_packages()) return;
  const Folder folder;
  for (const Library& library : kPlayed) check_contract(library, script_of(library.layout, folder));
}

TEST_CASE("the script of Laravel stores what inspect knows as its own") {
  const Folder folder;
  const Outcome script = run_program("php", {RLCTL_SOURCE_DIR "/tests/real/scripts.php"});
  REQUIRE(script.exit == 0);
  const Library laravel{"laravel-redis-throttle", "3/1h", false};
  const std::string path = folder.write("laravel.lua", script.out);
  check_hits(laravel, path);
  check_contract(laravel, path);
}

TEST_CASE("the scripts of limits keep the contract of their library") {
  check_contract({"limits-fixed-window", "", true}, kLimits + "incr_expire.lua");
  check_contract({"limits-moving-window", "", true}, kLimits + "acquire_moving_window.lua");
}
