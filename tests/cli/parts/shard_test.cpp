// One run in two processes that know only their part and the start time of the run.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
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
  std::int64_t cost;
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
      all.push_back({record["intended_us"], key.substr(key.rfind(':')), record.value("cost", 1)});
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

std::string path_with_rlctl(const std::string& more = {}) {
  return "PATH=" + (more.empty() ? "" : more + ":") +
         fs::path(RLCTL_BINARY).parent_path().string() + ":" + std::getenv("PATH");
}

// The documents of a YAML file, as a YAML parser reads them.
json documents_of(const std::string& path) {
  const Outcome parsed = run_program(
      "ruby",
      {"-ryaml", "-rjson", "-e", "puts YAML.load_stream(File.read(ARGV[0])).to_json", path});
  INFO(parsed.err);
  REQUIRE(parsed.exit == 0);
  return json::parse(parsed.out);
}

// A Job of scenarios/kubernetes.yaml, whose volumes are the folders of the same names in `folder`.
class KubernetesJob {
 public:
  KubernetesJob(const json& documents, const std::string& name, const Folder& folder) {
    for (const json& document : documents)
      if (document["kind"] == "Job" && document["metadata"]["name"] == name)
        spec_ = document["spec"];
    REQUIRE(spec_.is_object());
    const json& pod = spec_["template"]["spec"];
    REQUIRE(pod["containers"].size() == 1);
    const json& container = pod["containers"][0];
    for (const char* words : {"command", "args"})
      for (const std::string word : container[words]) command_.push_back(word);
    for (const json& mount : container["volumeMounts"]) {
      const auto is_volume = [&](const json& volume) { return volume["name"] == mount["name"]; };
      CHECK(std::ranges::count_if(pod["volumes"], is_volume) == 1);
      for (std::string& word : command_)
        word = with_text(word, mount["mountPath"], folder / mount["name"].get<std::string>());
    }
    for (const json& variable : container["env"])
      environment_[variable["name"]] = variable["value"];
  }

  const json& spec() const { return spec_; }
  void set(const std::string& name, const std::string& value) {
    REQUIRE(environment_.contains(name));
    environment_[name] = value;
  }
  Outcome run_pod(const std::string& index = {}) const {
    Arguments environment{path_with_rlctl(), "JOB_COMPLETION_INDEX=" + index};
    for (const auto& [name, value] : environment_) environment.push_back(name + "=" + value);
    return run_program(command_.front(), {command_.begin() + 1, command_.end()}, {}, environment);
  }

 private:
  json spec_;
  Arguments command_;
  std::map<std::string, std::string> environment_;
};

// So many machines at the same time; each gets its number, from 0.
std::vector<Outcome> play_together(std::size_t count,
                                   const std::function<Outcome(std::size_t)>& machine) {
  std::vector<Outcome> outcomes(count);
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < count; ++i)
    running.emplace_back([&, i] { outcomes[i] = machine(i); });
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

void expect_of_logs(const Folder& folder, const std::string& scenario,
                    const std::vector<std::string>& logs, int exit, const std::string& words) {
  folder.write("expecting.json", scenario);
  Arguments arguments{"run", folder / "expecting.json", "--logs"};
  arguments.insert(arguments.end(), logs.begin(), logs.end());
  const Outcome outcome = run_rlctl(arguments);
  INFO(outcome.out << outcome.err);
  CHECK((outcome.exit == exit || contains(outcome.out, "late")));
  CHECK(contains(outcome.out + outcome.err, words));
}

void play_whole(TestRedis& redis, const std::string& scenario, const std::string& log) {
  run_rlctl({"run", scenario, "--redis", redis.url(), "--log", log, "--quiet"});
}

constexpr const char* kHolds = R"({"name": "crowd", "clock": "wall", "verdict": "holds",
  "policies": {"api": {"algo": "sliding-list", "limit": 15, "window": "1s", "key": "k:<ip>"}},
  "identities": {"people": {"count": 7, "ip": "10.0.0.0/16", "pick": "uniform"}},
  "phases": [{"name": "all", "policy": "api", "who": "people", "rate": "60/1s", "for": "2s",
              "arrivals": "poisson", "cost": {"from": 1, "to": 5}}],
  "expect": ["allowed > 20", "latency.p99 < 30s"]})";

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

// The first run by name is told; a run's id has hexadecimal digits, which sort before this one.
void refuse_other_runs(const std::vector<std::string>& logs) {
  const std::string text = text_of(logs[0]);
  const json header = json::parse(text.substr(0, text.find('\n')));
  const auto mixed = [&](const std::string& changed, const char* why) {
    std::ofstream(logs[2]) << changed;
    for (const char* verb : {"verify", "report"}) {
      const Outcome outcome = run_rlctl({verb, logs[1], logs[2]});
      CHECK(outcome.exit == 2);
      CHECK(contains(outcome.err, why));
    }
  };
  const std::string other = with_text(text, header["run_id"], "other");
  mixed(other, "is mixed with run");
  mixed(with_text(other, header["history"], "other/api"), "lacks part 1/8, 3/8, 4/8");
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
  const std::string page =
      run_rlctl({"report", folder / "1.jsonl", folder / "2.jsonl", "--markdown", "-"}).out;
  CHECK(contains(page, "rlctl simulate poisson"));
  CHECK_FALSE(contains(page, "--shard"));
  CHECK_FALSE(contains(page, "--start-at"));

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
  const json documents = documents_of(RLCTL_SOURCE_DIR "/scenarios/kubernetes.yaml");
  KubernetesJob job(documents, "rlctl", folder);
  KubernetesJob judge(documents, "rlctl-judge", folder);
  const std::size_t pods = job.spec()["completions"];
  CHECK(pods == 8);
  CHECK(job.spec()["parallelism"] == pods);
  CHECK(job.spec()["completionMode"] == "Indexed");

  const std::string start = soon(10);
  folder.write("plan/start-at", start);
  job.set("REDIS", redis.url());
  for (const Outcome& pod :
       play_together(pods, [&](std::size_t i) { return job.run_pod(std::to_string(i)); })) {
    INFO(pod.out << pod.err);
    CHECK(pod.exit == 0);
    CHECK(contains(pod.out, "next: judge the logs of all 8 parts together: rlctl run "));
    CHECK_FALSE(contains(pod.out, "send more requests"));
  }
  judge.set("PATIENCE", "60");
  const Outcome judgement = judge.run_pod();
  INFO(judgement.out << judgement.err);
  CHECK((judgement.exit == 0 || contains(judgement.out, "late")));
  CHECK_FALSE(contains(judgement.out, "part 1/8 only"));
  CHECK(fs::exists(folder / ("logs/" + start + "/report.html")));

  std::vector<std::string> logs;
  for (std::size_t i = 0; i < pods; ++i)
    logs.push_back(folder / ("logs/" + start + "/" + std::to_string(i) + ".jsonl"));
  play_whole(redis, folder / "plan/scenario.json", folder / "whole.jsonl");
  compare_schedules(schedule_of(logs), schedule_of({folder / "whole.jsonl"}));
  CHECK(judged(logs)["verdict"] == "holds");
  CHECK(judged({folder / "whole.jsonl"})["verdict"] == "holds");
  expect_of_logs(folder, with_text(kHolds, "allowed > 20", "allowed > 1000"), logs, 1,
                 "allowed > 1000: measured ");
  expect_of_logs(folder, with_text(kHolds, "allowed > 20", "offered < 1"), logs, 1,
                 "offered < 1: measured ");
  expect_of_logs(folder, with_text(kHolds, "\"limit\": 15", "\"limit\": 16"), logs, 2,
                 "the policy 'api' has other rules");
  expect_of_logs(folder, kViolated, logs, 2, "one is of 'crowd/api'");

  // A pod that begins late leaves no log, and nobody waits for one.
  fs::remove(logs[2]);
  fs::remove(folder / ("logs/" + start + "/2.txt"));
  const Outcome late = job.run_pod("2");
  INFO(late.out << late.err);
  CHECK(late.exit == 0);
  CHECK(contains(late.out, " ago; use the same time on all machines"));
  const Outcome without = judge.run_pod();
  CHECK(without.exit == 4);
  CHECK(contains(without.out, " ago; use the same time on all machines"));
  CHECK(contains(without.out, "; missing: 3/8"));
  CHECK(contains(text_of(folder / ("logs/" + start + "/report.html")), "missing: 3/8"));

  refuse_other_runs(logs);
}

TEST_CASE("the judge of scenarios/kubernetes.yaml says why there is no log at all") {
  const Folder folder;
  folder.write("plan/scenario.json", kHolds);
  folder.write("plan/start-at", "1700000000");
  fs::create_directory(folder / "logs");
  const json documents = documents_of(RLCTL_SOURCE_DIR "/scenarios/kubernetes.yaml");
  KubernetesJob job(documents, "rlctl", folder);
  for (const char* pod : {"0", "1", "2", "3", "4", "5", "6", "7"})
    CHECK(job.run_pod(pod).exit == 0);
  const Outcome judgement = KubernetesJob(documents, "rlctl-judge", folder).run_pod();
  INFO(judgement.out << judgement.err);
  CHECK(judgement.exit == 2);
  CHECK(contains(judgement.out, " ago; use the same time on all machines"));
}

TEST_CASE("the lines of scenarios/slurm.sh play one run, with the verdict of one") {
  TestRedis redis;
  const Folder folder;
  folder.write("my.json", kViolated);
  const std::string script = text_of(RLCTL_SOURCE_DIR "/scenarios/slurm.sh");
  folder.write("slurm.sh", script);
  // In place of Slurm: all tasks of the array at once, and what is wrapped after them.
  folder.write("bin/sbatch", R"(#!/bin/sh
while :; do
  case $1 in
    --parsable | --dependency=*) shift ;;
    --wrap) exec sh -c "$2" ;;
    *) break ;;
  esac
done
array=$(sed -n 's/^#SBATCH.* --array=\([0-9-]*\).*/\1/p' "$1")
export SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_COUNT="${array#*-}"
for id in $(seq "${array%-*}" "${array#*-}"); do
  SLURM_ARRAY_TASK_ID=$id sh "$@" >"task-$id.txt" 2>&1 || echo "task $id failed" >>failed.txt &
done
wait
echo 7
)");
  fs::permissions(folder / "bin/sbatch", fs::perms::owner_all);
  // What its comment says, with a shorter wait.
  std::string lines;
  std::istringstream text(script);
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("#   ")) lines += line.substr(4) + "\n";
  CHECK(contains(lines, "+ 120"));
  const Outcome outcome = run_program(
      "sh", {"-c", "cd \"$1\"\n" + with_text(lines, "+ 120", "+ 12"), "sh", folder.path()}, {},
      {"REDIS=" + redis.url(), path_with_rlctl(folder / "bin")});
  INFO(outcome.out << outcome.err);
  CHECK_FALSE(fs::exists(folder / "failed.txt"));
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.out, "violated, as expected: "));
  CHECK_FALSE(contains(outcome.out, "missing"));
  std::vector<std::string> logs;
  for (int id = 1; id <= 8; ++id)
    logs.push_back(folder / ("part-7-" + std::to_string(id) + ".jsonl"));
  play_whole(redis, folder / "my.json", folder / "whole.jsonl");
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
