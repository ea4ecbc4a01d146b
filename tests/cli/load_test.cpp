#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/support/test_redis.h"
#include "limiter/registry.h"

using nlohmann::json;

namespace {

std::vector<std::string> states(const Outcome& outcome) {
  std::vector<std::string> states;
  const json document = json::parse(outcome.out);
  for (const json& script : document["scripts"]) states.push_back(script["state"]);
  return states;
}

std::string temporary_name() {
  return (std::filesystem::temp_directory_path() / ("rlctl_load_" + std::to_string(getpid())))
      .string();
}

bool all_are(const std::vector<std::string>& states, const std::string& state) {
  for (const std::string& one : states)
    if (one != state) return false;
  return !states.empty();
}

}  // namespace

TEST_CASE("load puts every sound script into the cache and reports the new ones") {
  TestRedis redis;
  const Outcome first = redis.rlctl({"load", "--json"});
  CHECK(first.exit == 0);
  CHECK(all_are(states(first), "new"));
  const rlctl::Registry registry;
  for (const auto& [name, script] : registry.scripts()) {
    CAPTURE(name);
    if (script.manifest.flaw.empty())
      CHECK(redis.command({"SCRIPT", "EXISTS", script.sha1}).elements.at(0).integer == 1);
  }
  CHECK(all_are(states(redis.rlctl({"load", "--json"})), "already there"));
}

TEST_CASE("load --dry-run loads nothing, and exit 1 means that a script is missing") {
  TestRedis redis;
  const Outcome before = redis.rlctl({"load", "--dry-run", "fixed"});
  CHECK(before.exit == 1);
  CHECK(contains(before.out, "missing"));
  CHECK(contains(before.err, "to load them: rlctl load fixed --redis " + redis.url()));
  const std::string sha1 = rlctl::Registry().find("fixed").sha1;
  CHECK(redis.command({"SCRIPT", "EXISTS", sha1}).elements.at(0).integer == 0);
  redis.rlctl({"load", "fixed"});
  const Outcome after = redis.rlctl({"load", "--dry-run", "fixed"});
  CHECK(after.exit == 0);
  CHECK(contains(after.out, "already there"));
  CHECK(after.err.empty());
}

TEST_CASE("functions of the loaded library decide like the scripts") {
  TestRedis redis;
  const Outcome loaded = redis.rlctl({"load", "--function"});
  CHECK(loaded.exit == 0);
  CHECK(contains(loaded.out, "rlctl_sliding_list"));
  std::vector<std::int64_t> allowed;
  for (int i = 0; i < 4; ++i) {
    const auto reply =
        redis.command({"FCALL", "rlctl_sliding_list", "1", "key", "3", "60000", "1", "", "60000"});
    REQUIRE(reply.elements.size() == 4);
    allowed.push_back(reply.elements[0].integer);
  }
  CHECK(allowed == std::vector<std::int64_t>{1, 1, 1, 0});
  CHECK(redis.number({"LLEN", "key"}) == 3);
}

TEST_CASE("load --function replaces the library only if it differs") {
  TestRedis redis;
  CHECK(redis.rlctl({"load", "--function", "--dry-run"}).exit == 1);
  CHECK(all_are(states(redis.rlctl({"load", "--function", "--json", "fixed"})), "new"));
  CHECK(all_are(states(redis.rlctl({"load", "--function", "--json", "fixed"})), "already there"));
  const Outcome differs =
      redis.rlctl({"load", "--function", "--dry-run", "--json", "sliding-list"});
  CHECK(differs.exit == 1);
  CHECK(all_are(states(differs), "differs"));
  const Outcome refused = redis.rlctl({"load", "--function", "sliding-list"});
  CHECK(refused.exit == 2);
  CHECK(contains(refused.err, "the library 'rlctl' would lose rlctl_fixed"));
  CHECK(redis.text({"FCALL", "rlctl_fixed", "0"}) != "ERR Function not found");
  const Outcome replaced =
      redis.rlctl({"load", "--function", "--replace", "--json", "sliding-list"});
  CHECK(all_are(states(replaced), "replaced"));
  CHECK(redis.text({"FCALL", "rlctl_fixed", "0"}) == "ERR Function not found");
}

TEST_CASE("a script that does not compile is named with Redis's own message") {
  TestRedis redis;
  const std::string file = temporary_name() + std::string(".lua");
  std::ofstream(file) << "-- rlctl: reply = allowed\nreturn (1";
  for (const std::string way : {"", "--function"}) {
    Arguments arguments{"load", file};
    if (!way.empty()) arguments.push_back(way);
    const Outcome outcome = redis.rlctl(arguments);
    CHECK(outcome.exit == 3);
    CHECK(outcome.out.empty());
    CHECK(contains(outcome.err, "Redis can't compile it: ERR Error"));
  }
  std::remove(file.c_str());
}
