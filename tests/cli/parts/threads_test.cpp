// rlctl bench and simulate with --threads: the same plan and the same verdict as one thread, and no
// data race. With a binary built by -DRLCTL_SANITIZE_THREAD=ON, a race ends it with exit 66
// (tests/nightly.sh).
#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>
#include <vector>

#include "cli/support/process.h"
#include "cli/support/test_redis.h"
#include "http/peer.h"
#include "tools/folder.h"

namespace {

// In which traffic, when, and on which key. What fills the keys has no planned times.
using PlannedRequests = std::vector<std::tuple<std::string, std::int64_t, std::string>>;

PlannedRequests requests_in(const std::string& log) {
  PlannedRequests requests;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    if (!record.contains("key")) continue;
    const std::string phase = record["phase"], key = record["key"];
    const std::int64_t intended_us =
        phase == "fill" ? 0 : record["intended_us"].get<std::int64_t>();
    requests.emplace_back(phase, intended_us, key.substr(key.rfind(':')));
  }
  // Of each traffic, the times count from its first request.
  std::sort(requests.begin(), requests.end());
  std::string phase;
  std::int64_t start_us = 0;
  for (auto& [of, intended_us, key] : requests) {
    if (of != phase) start_us = intended_us;
    phase = of;
    intended_us -= start_us;
  }
  return requests;
}

PlannedRequests played_by(const char* threads) {
  const rlctl::test::Folder folder;
  const std::string log = folder / "bench.jsonl";
  const Outcome outcome = run_rlctl(
      {"bench",     "--threads", threads,   "--only",  "speed",  "--algo",   "sliding-list",
       "--rounds",  "1",         "--users", "7",       "--keys", "50",       "--requests",
       "501",       "--rate",    "5000/1s", "--limit", "20",     "--window", "20s",
       "--warm-up", "1ms",       "--quiet", "--json",  "--log",  log});
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.exit == 0);
  const auto result = nlohmann::json::parse(outcome.out);
  CHECK(result.value("threads", 1) == std::stoi(threads));
  CHECK(result["algorithms"][0]["rounds"][0]["decisions"] == 501);
  // A busy machine sends late, but this is about the plan and the decisions.
  const Outcome judged = run_rlctl({"verify", log, "--json", "--budget-late", "100%"});
  CHECK(nlohmann::json::parse(judged.out)["verdict"] == "holds");
  return requests_in(folder.read("bench.jsonl"));
}

struct Simulated {
  PlannedRequests requests;
  std::string verdict;
};

// What simulate sends to this target, and how its log is judged.
Simulated simulated(const Arguments& traffic, const char* threads) {
  const rlctl::test::Folder folder;
  const std::string log = folder / "run.jsonl";
  Arguments arguments{"simulate", "--clock", "wall",  "--threads", threads,
                      "--quiet",  "--json",  "--log", log};
  arguments.insert(arguments.begin() + 1, traffic.begin(), traffic.end());
  const Outcome outcome = run_rlctl(arguments);
  INFO(outcome.out << outcome.err);
  const auto result = nlohmann::json::parse(outcome.out);
  CHECK(result.value("threads", 1) == std::stoi(threads));
  // A busy machine sends late, but this is about the plan and the decisions.
  const Outcome judged = run_rlctl({"verify", log, "--json", "--budget-late", "100%"});
  const auto verdict = nlohmann::json::parse(judged.out);
  CHECK(verdict.value("shard", "1/1") == "1/1");
  return {requests_in(folder.read("run.jsonl")), verdict["verdict"]};
}

void check_alike(const Arguments& traffic, const char* verdict) {
  const Simulated one = simulated(traffic, "1");
  const Simulated three = simulated(traffic, "3");
  CHECK(one.requests.size() > 20);
  CHECK(three.requests == one.requests);
  CHECK(one.verdict == verdict);
  CHECK(three.verdict == verdict);
}
}  // namespace

TEST_CASE("threads: bench plans the same requests on one, two and three, and all logs hold") {
  const PlannedRequests one = played_by("1");
  CHECK(one.size() == 501 + 501 + 10 * 20);  // admitted, denied, and what fills ten keys
  CHECK(played_by("2") == one);
  CHECK(played_by("3") == one);
}

// A window of a minute is attacked on the virtual clock, which no busy machine disturbs.
TEST_CASE("threads: the verdicts of bench are those of one thread") {
  const auto verdicts = [](const char* threads) {
    const Outcome outcome = run_rlctl({"bench", "--threads", threads, "--users", "8", "--rounds",
                                       "1", "--for", "50ms", "--window", "60s", "--algo", "fixed",
                                       "--algo", "sliding-list", "--quiet", "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.exit == 0);
    std::string found;
    const auto result = nlohmann::json::parse(outcome.out);
    for (const auto& one : result["algorithms"])
      found += one["policy_verdict"].get<std::string>() + " ";
    return found;
  };
  CHECK(verdicts("1") == "violated holds ");
  CHECK(verdicts("2") == "violated holds ");
}

TEST_CASE("threads: a script that fails on one of them is left out, and the others go on") {
  const std::string fails = std::string(RLCTL_SOURCE_DIR) + "/tests/cli/scripts/fails_later.lua";
  const Outcome outcome = run_rlctl({"bench", "--threads", "2", "--users", "4", "--rounds", "1",
                                     "--for", "30ms", "--only", "speed", "--quiet", "--json",
                                     "--algo", fails, "--algo", "sliding-list"});
  CHECK(outcome.exit == 3);
  CHECK(contains(outcome.err, "1 of 2 failed"));
  const auto sound = nlohmann::json::parse(outcome.out)["algorithms"][1];
  CHECK(sound["rounds"].size() == 1);
}

TEST_CASE("threads: Ctrl-C ends all of them") {
  TestRedis redis;
  const auto playing = [&] { return redis.calls("evalsha") > 1'000; };
  const Outcome outcome = redis.rlctl_interrupted(
      {"bench", "--threads", "3", "--only", "speed", "--algo", "fixed", "--for", "10m"}, playing);
  CHECK(outcome.exit == 130);
  CHECK(redis.text({"GET", "nothing"}).empty());
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("threads: more of them than connections, or than 256, are refused") {
  CHECK(contains(run_rlctl({"simulate", "bot", "--threads", "257"}).err, "the maximum is 256"));
  const Outcome outcome = run_rlctl({"bench", "--threads", "3", "--users", "2"});
  CHECK(outcome.exit == 2);
  CHECK(contains(outcome.err, "--threads: 3 threads cannot share 2 connections"));
}

TEST_CASE("threads: simulate sends the same requests on three as on one, and the log holds") {
  TestRedis redis;
  check_alike({"poisson", "--redis", redis.url(), "--rate", "1000/1s", "--for", "300ms", "--limit",
               "9", "--window", "20s"},
              "holds");
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("threads: simulate plays phase after phase on a private Redis that all of them share") {
  check_alike({"double-click", "--limit", "15", "--window", "1s"}, "holds");
}

TEST_CASE("threads: simulate asks an HTTP service from all of them, and finds what is broken") {
  const rlctl::test::Peer admits_all([](rlctl::test::PeerConnection& connection) {
    while (connection.read_request() && connection.write(rlctl::test::response(200))) {
    }
  });
  check_alike({"poisson", "--target", admits_all.url("/<ip>"), "--rate", "200/1s", "--users", "3",
               "--for", "300ms", "--limit", "9", "--window", "20s"},
              "violated");
}

TEST_CASE("threads: a service that is not there is told as by one") {
  std::string url;
  {
    const rlctl::test::Peer gone([](rlctl::test::PeerConnection&) {});
    url = gone.url();
  }
  const Outcome outcome = run_rlctl({"simulate", "bot", "--target", url, "--rate", "20/1s", "--for",
                                     "500ms", "--limit", "9", "--window", "1s", "--threads", "2"});
  CHECK(outcome.exit == 3);
  CHECK(contains(outcome.err, "the target made no decision: connection refused"));
}

TEST_CASE("threads: Ctrl-C ends all that simulate plays: no key remains, no decision is lost") {
  TestRedis redis;
  const rlctl::test::Folder folder;
  const auto playing = [&] { return redis.calls("evalsha") > 100; };
  const Outcome outcome =
      redis.rlctl_interrupted({"simulate", "bot", "--rate", "500/1s", "--for", "10m", "--threads",
                               "3", "--json", "--quiet", "--log", folder / "run.jsonl"},
                              playing);
  CHECK(outcome.exit == 130);
  CHECK(redis.number({"DBSIZE"}) == 0);
  const auto result = nlohmann::json::parse(outcome.out);
  CHECK(result["interrupted"] == true);
  const auto logged = requests_in(folder.read("run.jsonl"));
  CHECK(logged.size() > 90);
  CHECK(logged.size() == result["phases"][0]["offered"]);
}

TEST_CASE("threads: what simulate cannot share out is refused") {
  const auto refusal = [](Arguments arguments) {
    arguments.insert(arguments.begin(), {"simulate", "--threads", "2"});
    const Outcome outcome = run_rlctl(arguments);
    CHECK(outcome.exit == 2);
    return outcome.err;
  };
  const std::string url = "redis://127.0.0.1:1", soon = std::to_string(std::time(nullptr) + 60);
  CHECK(contains(refusal({"bot", "--clock", "virtual"}),
                 "--threads: each thread would have its own virtual clock"));
  CHECK(contains(refusal({"boundary", "--anchor", "first-hit", "--redis", url}),
                 "begins with an admission that only one thread sees"));
  CHECK(contains(refusal({"double-click", "--lockstep", "--run", "client", "--redis", url}),
                 "uses lockstep, which does not work on several threads"));
  CHECK(contains(refusal({"bot", "--fault", "client_kill@1s"}),
                 "--threads: each thread would cause the fault"));
  CHECK(
      contains(refusal({"bot", "--redis", url, "--shard", "1/2", "--start-at", soon, "--log", "x"}),
               "--threads: a part of a run on several machines is played by one thread"));
}
