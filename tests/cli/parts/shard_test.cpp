// One run in two processes that know only their part and the start time of the run.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "cli/support/process.h"
#include "cli/support/test_redis.h"
#include "tools/folder.h"

namespace fs = std::filesystem;
using nlohmann::json;
using rlctl::test::Folder;

namespace {

// Far enough ahead for a busy machine to start the processes.
std::string soon(int after_s = 6) {
  using namespace std::chrono;
  const auto at = system_clock::now() + seconds(after_s);
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

// Compared by the time from the first request.
void compare_schedules(std::vector<Sent> one, std::vector<Sent> other) {
  REQUIRE(one.size() == other.size());
  REQUIRE(!one.empty());
  const std::int64_t apart_us = other.front().intended_us - one.front().intended_us;
  for (Sent& sent : one) sent.intended_us += apart_us;
  CHECK(one == other);
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string with_text(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// The shell scripts of scenarios/kubernetes.yaml, in order: the block below each "- |".
std::vector<std::string> scripts_of(const std::string& yaml) {
  std::vector<std::string> scripts;
  std::istringstream lines(yaml);
  std::size_t indent = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t from = std::min(line.find_first_not_of(' '), line.size());
    if (indent > 0 && from < indent) indent = 0;
    if (indent > 0) scripts.back() += line.substr(indent) + "\n";
    if (!line.ends_with("- |")) continue;
    scripts.emplace_back();
    indent = from + 2;
  }
  return scripts;
}

std::string path_with_rlctl() {
  return "PATH=" + fs::path(RLCTL_BINARY).parent_path().string() + ":" + std::getenv("PATH");
}

// One process for each environment, all at the same time.
std::vector<Outcome> play_together(const Arguments& shell, const std::vector<Arguments>& machines) {
  std::vector<Outcome> outcomes(machines.size());
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < machines.size(); ++i)
    running.emplace_back([&, i] { outcomes[i] = run_program("sh", shell, {}, machines[i]); });
  for (std::thread& one : running) one.join();
  return outcomes;
}

// On a busy machine some requests are sent late, but these tests are about the parts.
json judged(const std::vector<std::string>& logs) {
  Arguments arguments{"verify", "--json", "--budget-late", "100%"};
  arguments.insert(arguments.end(), logs.begin(), logs.end());
  const Outcome outcome = run_rlctl(arguments);
  INFO(outcome.out << outcome.err);
  return json::parse(outcome.out);
}

void play_whole(TestRedis& redis, const std::string& scenario, const std::string& log) {
  run_rlctl({"run", scenario, "--redis", redis.url(), "--log", log, "--quiet"});
}

constexpr const char* kHolds = R"({"name": "crowd", "clock": "wall", "verdict": "holds",
  "policies": {"api": {"algo": "sliding-list", "limit": 5, "window": "1s", "key": "k:<ip>"}},
  "identities": {"people": {"count": 7, "ip": "10.0.0.0/16", "pick": "uniform"}},
  "phases": [{"name": "all", "policy": "api", "who": "people", "rate": "60/1s", "for": "2s",
              "arrivals": "poisson"}]})";

// Half a second from the first burst to the edge: time enough for a busy machine.
constexpr const char* kViolated = R"({"name": "edge", "clock": "wall", "verdict": "violated",
  "policies": {"api": {"algo": "fixed", "limit": 5, "window": "4s", "key": "k:<ip>"}},
  "identities": {"bot": {"ip": "203.0.113.7"}},
  "phases": [{"name": "boundary", "policy": "api", "who": "bot", "align": "window",
     "bursts": [{"at": "3.5s", "count": 16}, {"at": "4.05s", "count": 16}]}]})";

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
  compare_schedules(schedule_of({folder / "1.jsonl", folder / "2.jsonl"}),
                    schedule_of({folder / "whole.jsonl"}));
}

TEST_CASE("the pods of scenarios/kubernetes.yaml play one run, and the last one judges it") {
  TestRedis redis;
  const Folder folder;
  folder.write("plan/scenario.json", kHolds);
  fs::create_directory(folder / "logs");
  const std::string yaml = text_of(RLCTL_SOURCE_DIR "/scenarios/kubernetes.yaml");
  CHECK(contains(yaml, "completions: 8\n  parallelism: 8\n"));
  std::vector<std::string> scripts = scripts_of(yaml);
  REQUIRE(scripts.size() == 2);
  for (std::string& script : scripts)  // the volumes of the pods
    script = with_text(with_text(script, "/plan", folder / "plan"), "/logs", folder / "logs");

  const std::string start = soon(10);
  folder.write("plan/start-at", start);
  std::vector<Arguments> pods;
  for (int i = 0; i < 8; ++i)
    pods.push_back(
        {path_with_rlctl(), "REDIS=" + redis.url(), "JOB_COMPLETION_INDEX=" + std::to_string(i)});
  for (const Outcome& pod : play_together({"-euc", scripts[0]}, pods)) {
    INFO(pod.out << pod.err);
    CHECK(pod.exit == 0);
  }
  const Outcome judge =
      run_program("sh", {"-euc", scripts[1]}, {}, {path_with_rlctl(), "PATIENCE=60"});
  INFO(judge.out << judge.err);
  CHECK((judge.exit == 0 || contains(judge.out, "late")));
  CHECK(fs::exists(folder / ("logs/" + start + "/report.html")));

  std::vector<std::string> logs;
  for (int i = 0; i < 8; ++i)
    logs.push_back(folder / ("logs/" + start + "/" + std::to_string(i) + ".jsonl"));
  play_whole(redis, folder / "plan/scenario.json", folder / "whole.jsonl");
  compare_schedules(schedule_of(logs), schedule_of({folder / "whole.jsonl"}));
  CHECK(judged(logs)["verdict"] == "holds");
  CHECK(judged({folder / "whole.jsonl"})["verdict"] == "holds");

  fs::remove(logs[2]);
  const Outcome without =
      run_program("sh", {"-euc", scripts[1]}, {}, {path_with_rlctl(), "PATIENCE=0"});
  CHECK(without.exit == 4);
  CHECK(contains(without.out, "; missing: 3/8"));
  CHECK(contains(text_of(folder / ("logs/" + start + "/report.html")), "missing: 3/8"));

  const json header = json::parse(text_of(logs[0]).substr(0, text_of(logs[0]).find('\n')));
  const std::string other = with_text(text_of(logs[0]), header["run_id"], "another");
  std::ofstream(logs[2]) << other;
  for (const char* verb : {"verify", "report"}) {
    const Outcome mixed = run_rlctl({verb, logs[1], logs[2]});
    CHECK(mixed.exit == 2);
    CHECK(contains(mixed.err, "is mixed with run"));
  }
}

TEST_CASE("the tasks of scenarios/slurm.sh play one run, with the verdict of one") {
  TestRedis redis;
  const Folder folder;
  folder.write("edge.json", kViolated);
  const std::string script = RLCTL_SOURCE_DIR "/scenarios/slurm.sh";
  const std::string start = "START_AT=" + soon();
  std::vector<Arguments> tasks;
  for (const char* id : {"1", "2", "3"})
    tasks.push_back({path_with_rlctl(), "REDIS=" + redis.url(), start, "SLURM_ARRAY_JOB_ID=7",
                     "SLURM_ARRAY_TASK_COUNT=3", std::string("SLURM_ARRAY_TASK_ID=") + id});
  const std::string in_folder = "cd \"$1\" && exec sh \"$2\" edge.json";
  const Arguments shell{"-c", in_folder, "sh", folder.path(), script};
  for (const Outcome& task : play_together(shell, tasks)) {
    INFO(task.out << task.err);
    CHECK(task.exit == 0);
  }
  const std::vector<std::string> logs{folder / "part-7-1.jsonl", folder / "part-7-2.jsonl",
                                      folder / "part-7-3.jsonl"};
  play_whole(redis, folder / "edge.json", folder / "whole.jsonl");
  compare_schedules(schedule_of(logs), schedule_of({folder / "whole.jsonl"}));
  CHECK(judged(logs)["verdict"] == "violated");
  CHECK(judged({folder / "whole.jsonl"})["verdict"] == "violated");
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
