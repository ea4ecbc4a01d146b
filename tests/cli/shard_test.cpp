// One run in two processes that know only their part and the start time of the run.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/support/process.h"
#include "cli/support/test_redis.h"
#include "tools/folder.h"

using nlohmann::json;
using rlctl::test::Folder;

namespace {

// Far enough ahead for a busy machine to start two processes.
std::string soon() {
  using namespace std::chrono;
  const auto at = system_clock::now() + seconds(6);
  return std::to_string(duration_cast<seconds>(at.time_since_epoch()).count());
}

struct Sent {
  std::int64_t intended_us;
  std::string key;
  auto operator<=>(const Sent&) const = default;
};

std::vector<Sent> schedule_of(const std::vector<std::string>& logs) {
  std::vector<Sent> all;
  for (const std::string& log : logs) {
    std::ifstream file(log);
    for (std::string line; std::getline(file, line);) {
      const json record = json::parse(line);
      if (!record.contains("sent_us")) continue;
      std::string key = record["key"];
      all.push_back({record["intended_us"], key.substr(key.rfind(':'))});
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

Arguments poisson(TestRedis& redis, const std::string& log) {
  return {"simulate", "poisson", "--redis", redis.url(), "--rate",  "60/1s",
          "--for",    "2s",      "--users", "7",         "--limit", "5",
          "--window", "1s",      "--log",   log,         "--quiet"};
}

}  // namespace

TEST_CASE("two machines send what one machine would send, and their logs are judged together") {
  TestRedis redis;
  const Folder folder;
  const std::string start_at = soon();
  const auto part = [&](const std::string& shard, const std::string& log) {
    Arguments arguments = poisson(redis, log);
    arguments.insert(arguments.end(), {"--shard", shard, "--start-at", start_at});
    return run_rlctl(arguments);
  };
  Outcome second;
  std::thread other([&] { second = part("2/2", folder / "2.jsonl"); });
  const Outcome first = part("1/2", folder / "1.jsonl");
  other.join();
  INFO(first.out << first.err << second.err);
  CHECK(first.exit == 4);
  CHECK(second.exit == 4);
  CHECK(contains(first.out, "part 1/2 of a run"));
  // On a busy machine some of a hundred requests are sent late, but this test is about the parts.
  const Outcome judged = run_rlctl(
      {"verify", folder / "1.jsonl", folder / "2.jsonl", "--json", "--budget-late", "50%"});
  INFO(judged.out);
  CHECK(judged.exit == 0);
  CHECK(json::parse(judged.out)["verdict"] == "holds");

  const Outcome half = run_rlctl({"verify", folder / "1.jsonl"});
  CHECK(half.exit == 4);
  CHECK(contains(half.out, "this log is only part 1/2 of a run"));

  run_rlctl(poisson(redis, folder / "whole.jsonl"));
  std::vector<Sent> together = schedule_of({folder / "1.jsonl", folder / "2.jsonl"});
  std::vector<Sent> alone = schedule_of({folder / "whole.jsonl"});
  REQUIRE(together.size() == alone.size());
  const std::int64_t apart_us = alone.front().intended_us - together.front().intended_us;
  for (Sent& sent : together) sent.intended_us += apart_us;
  CHECK(together == alone);
}

TEST_CASE("a part alone is not a run, and work that can't be shared is refused") {
  const auto refused = [](Arguments arguments, const char* why) {
    arguments.insert(arguments.begin(), {"simulate", "bot"});
    const Outcome outcome = run_rlctl(arguments);
    INFO(outcome.err);
    CHECK(outcome.exit == 2);
    CHECK(contains(outcome.err, why));
  };
  refused({"--shard", "1/2", "--start-at", soon(), "--log", "x"}, "its own Redis");
  refused({"--shard", "1/2", "--start-at", soon(), "--target", "http://127.0.0.1:1/", "--limit",
           "1", "--window", "1s"},
          "add --log FILE");
}
