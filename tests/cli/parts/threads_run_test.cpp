// rlctl run with --threads: scenario files, of several phases, against each kind of target. What is
// planned and what is drawn is that of one thread, and a phase begins when all have ended the one
// before.
#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <tuple>
#include <vector>

#include "cli/support/killed_run.h"
#include "cli/support/process.h"
#include "http/nginx.h"
#include "tools/folder.h"

using nlohmann::json;
using rlctl::test::Folder;

namespace {

struct Played {
  json result;  // of the scenario
  std::vector<json> records;
  std::string err;
};

std::vector<json> records_in(const std::string& log) {
  std::vector<json> records;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if (json record = json::parse(line); record.contains("key"))
      records.push_back(std::move(record));
  return records;
}

Played played(const json& scenario, const char* threads, const Arguments& more = {}) {
  const Folder folder;
  Arguments arguments{"run",
                      folder.write("plan.json", scenario.dump()),
                      "--threads",
                      threads,
                      "--json",
                      "--log",
                      folder / "run.jsonl"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_rlctl(arguments);
  INFO(outcome.out << outcome.err);
  const Outcome judged = run_rlctl({"verify", folder / "run.jsonl", "--json"});
  CHECK(json::parse(judged.out).value("shard", "1/1") == "1/1");
  return {json::parse(outcome.out)["scenarios"][0], records_in(folder.read("run.jsonl")),
          outcome.err};
}

// A busy machine sends late, but these tests are about the plan.
json scenario_of(const char* policies, const char* phases) {
  json scenario = json::parse(R"({"name": "all", "clock": "wall", "verdict": "any",
    "identities": {"people": {"count": 5, "user": "u<n>"}}, "budget": {"late": "100%"}})");
  scenario["policies"] = json::parse(policies);
  scenario["phases"] = json::parse(phases);
  return scenario;
}

// When it was planned, who sent it, what it reserved and what it used; -1: it vanished.
using Drawn = std::tuple<std::int64_t, std::string, std::int64_t, std::int64_t>;

std::vector<Drawn> drawn_in(const Played& played) {
  std::vector<Drawn> all;
  for (const json& record : played.records) {
    CHECK(record["outcome"] == "allowed");
    const std::string key = record["key"];
    all.emplace_back(record["intended_us"], key.substr(key.rfind(':')), record.value("cost", 1),
                     record.value("actual_cost", -1));
  }
  std::sort(all.begin(), all.end());
  const std::int64_t first_us = all.empty() ? 0 : std::get<0>(all.front());
  for (auto& [intended_us, key, cost, used] : all) intended_us -= first_us;
  return all;
}

// Each phase begins after the last answer of the one before, on all threads.
void check_one_after_the_other(const Played& played, const std::vector<std::string>& phases) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> spans;
  for (const json& record : played.records) {
    const std::int64_t from_us = record["intended_us"], to_us = record["received_us"];
    const auto [span, is_new] = spans.try_emplace(record["phase"], from_us, to_us);
    span->second = {std::min(span->second.first, from_us), std::max(span->second.second, to_us)};
  }
  REQUIRE(spans.size() == phases.size());
  for (std::size_t i = 1; i < phases.size(); ++i)
    CHECK(spans[phases[i - 1]].second <= spans[phases[i]].first);
}

void check_completed(const Played& played) {
  REQUIRE(played.result["phases"].size() == 3);
  CHECK(played.result["phases"][0]["offered"] == 60);
  CHECK(played.result["phases"][1]["completed"] == 30);
  CHECK(played.result["phases"][2]["offered"] == 20);
  check_one_after_the_other(played, {"loop", "queue", "rate"});
}

// The length of the first two depends on the answers.
constexpr const char* kThreePhases = R"([
  {"name": "loop", "policy": "api", "who": "people", "users": 6, "requests": 60, "think": "2ms"},
  {"name": "queue", "policy": "api", "who": "people", "consumers": 4, "items": 30,
   "on_deny": "retry_after"},
  {"name": "rate", "policy": "api", "who": "people", "rate": "100/1s", "for": "200ms"}])";

}  // namespace

TEST_CASE("threads: costs, work and what is used are drawn as on one thread") {
  const json scenario = scenario_of(
      R"({"tokens": {"algo": "token-budget", "rules": "900000/1h", "key": "t:<user>"}})",
      R"([{"name": "chat", "policy": "tokens", "who": "people", "rate": "200/1s", "for": "400ms",
           "cost": {"from": 1, "to": 100}, "actual_cost": {"from": 1, "to": 100},
           "hold": {"from": "1ms", "to": "20ms"}, "vanish": "20%"}])");
  const std::vector<Drawn> one = drawn_in(played(scenario, "1"));
  REQUIRE(one.size() == 80);
  const auto vanished =
      std::ranges::count_if(one, [](const Drawn& drawn) { return std::get<3>(drawn) < 0; });
  CHECK(vanished > 5);
  CHECK(vanished < 35);
  CHECK(drawn_in(played(scenario, "3")) == one);
}

TEST_CASE("threads: a closed loop, a queue and a rate follow one another, as on one thread") {
  const json scenario = scenario_of(
      R"({"api": {"algo": "sliding-list", "limit": 4, "window": "300ms", "key": "k:<user>"}})",
      kThreePhases);
  for (const char* threads : {"1", "3"}) check_completed(played(scenario, threads));
}

TEST_CASE("threads: a cluster is asked by all of them, phase after phase") {
  const json scenario = scenario_of(
      R"({"api": {"algo": "sliding-list", "limit": 4, "window": "300ms", "key": "k:<user>"}})",
      kThreePhases);
  check_completed(played(scenario, "3", {"--embedded", "cluster:3"}));
}

TEST_CASE("threads: a service of HTTP/2 is asked by all of them, phase after phase") {
  const rlctl::test::Nginx nginx(
      "server { listen 127.0.0.1:PORT http2; location / {\n"
      "  if ($server_protocol != HTTP/2.0) { return 505; } return 200 ok; } }");
  json scenario = scenario_of(R"({"api": {"rules": "1000/1h", "key": "k:<user>"}})", kThreePhases);
  scenario["target"] = {{"kind", "http"}, {"url", nginx.url()}, {"http2", true}};
  const Played three = played(scenario, "3");
  check_completed(three);
  CHECK(std::ranges::all_of(three.records,
                            [](const json& record) { return record["outcome"] == "allowed"; }));
}

TEST_CASE("threads: a run that is killed leaves the records of all of them") {
  const Folder folder;
  check_killed_run({"simulate", "bot", "--clock", "wall", "--threads", "3", "--rate", "200/1s",
                    "--limit", "5", "--window", "1s", "--for", "1m"},
                   folder / "run.jsonl", "90");
  // One each 5 ms, of each thread every third.
  std::set<std::int64_t> times;
  for (const json& record : records_in(folder.read("run.jsonl.partial")))
    CHECK(times.insert(record["intended_us"].get<std::int64_t>()).second);
  std::set<std::int64_t> threads;
  for (const std::int64_t time_us : times) threads.insert((time_us - *times.begin()) / 5'000 % 3);
  CHECK(threads.size() == 3);
}

TEST_CASE("threads: what run cannot share out is refused") {
  const auto refusal = [](const json& scenario, const Arguments& more = {},
                          const char* threads = "2") {
    const Folder folder;
    Arguments arguments{"run", folder.write("plan.json", scenario.dump()), "--threads", threads};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_rlctl(arguments);
    CHECK(outcome.exit == 2);
    return outcome.err;
  };
  const json sound = scenario_of(
      R"({"api": {"algo": "fixed", "limit": 40, "window": "1s", "key": "k:<user>"}})",
      R"([{"name": "a", "policy": "api", "who": "people", "rate": "9/1s", "for": "100ms"}])");
  json scenario = sound;
  scenario["clock"] = "virtual";
  CHECK(contains(refusal(scenario),
                 "'all': --threads: each thread would have its own virtual clock"));
  scenario = sound;
  scenario["faults"] = json::array({{{"do", "script_flush"}, {"at", "50ms"}}});
  CHECK(contains(refusal(scenario), "--threads: each thread would cause the fault"));
  scenario = sound;
  scenario["phases"][0] = json::parse(R"({"name": "a", "policy": "api", "who": "people",
    "bursts": [{"at": "0s", "count": 3}], "lockstep": true})");
  scenario["policies"]["api"]["run"] = "client";
  CHECK(contains(refusal(scenario), "uses lockstep, which does not work on several threads"));
  scenario = sound;
  scenario["target"] = {{"kind", "serve"}};
  CHECK(contains(refusal(scenario), "--threads: each thread would have its own server"));
  const std::string soon = std::to_string(std::time(nullptr) + 60);
  CHECK(contains(refusal(sound, {"--redis", "redis://127.0.0.1:1", "--shard", "1/2", "--start-at",
                                 soon, "--log", "x"}),
                 "--threads: a part of a run on several machines is played by one thread"));
  CHECK(contains(refusal(sound, {}, "257"), "the maximum is 256"));
}
