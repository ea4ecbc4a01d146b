// rlctl run on the real binary: the shipped scenarios, and the effect of wrong ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/support/process.h"
#include "tools/folder.h"

using Json = nlohmann::json;
using rlctl::test::Folder;

namespace {

const std::string kScenarios = RLCTL_SOURCE_DIR "/scenarios";

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string with_one(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

const char* const kBurst = R"({
  "name": "burst", "clock": "virtual", "verdict": "holds",
  "policies": {"api": {"algo": "sliding-list", "limit": 5, "window": "60s", "key": "rl:<ip>"}},
  "identities": {"bot": {"ip": "203.0.113.7"}},
  "phases": [{"name": "burst", "policy": "api", "who": "bot",
              "bursts": [{"at": "0s", "count": 20}]}],
  "expect": ["allowed == 5", "peak <= 5"]
})";

}  // namespace

TEST_CASE("run: every shipped scenario passes: sound limiters hold, broken ones are caught") {
  Folder folder;
  const Outcome outcome = run_rlctl({"run", kScenarios + "/holds", kScenarios + "/breaks",
                                     "--junit", folder / "out.xml", "--quiet"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  const std::string junit = read(folder / "out.xml");
  CHECK(contains(junit, "<testsuite"));
  CHECK_FALSE(contains(junit, "<failure"));
  CHECK_FALSE(contains(junit, "<error"));
}

TEST_CASE("run --logs says of the log of a run what the run itself said") {
  const Folder folder;
  const std::string log = folder / "run.jsonl";
  for (const char* name : {"breaks/fail-open", "breaks/fixed-edge", "holds/per-method",
                           "holds/token-budget", "holds/sliding-list"}) {
    const std::string file = kScenarios + "/" + name + ".json";
    const Outcome played = run_rlctl({"run", file, "--log", log, "--json", "--quiet"});
    const Outcome read = run_rlctl({"run", file, "--logs", log, "--json", "--quiet"});
    CAPTURE(name);
    INFO(read.out << read.err);
    CHECK(read.exit == played.exit);
    Json before = Json::parse(played.out)["scenarios"][0];
    Json after = Json::parse(read.out)["scenarios"][0];
    for (const char* member : {"outcome", "sentence", "found", "expectations", "faults", "phases"})
      CHECK(after[member] == before[member]);
  }
}

TEST_CASE("verify and run --logs know the requests that were planned and never sent") {
  const Folder folder;
  // The only connection waits for the pause to end. Who was to send a second earlier, does not.
  const std::string file = folder.write("pause.json", R"({
    "name": "pause", "clock": "wall", "verdict": "any",
    "policies": {"api": {"algo": "sliding-list", "limit": 5, "window": "60s", "key": "rl:<ip>"}},
    "identities": {"bot": {"ip": "203.0.113.7"}},
    "phases": [{"name": "steady", "policy": "api", "who": "bot", "rate": "20/s", "for": "2500ms",
                "connections": 1}],
    "faults": [{"at": "300ms", "do": "redis_pause", "down": "1800ms"}],
    "expect": ["dropped{phase=steady} < 1"], "budget": {"late": "100%"}
  })");
  const std::string log = folder / "run.jsonl";
  const Outcome played = run_rlctl({"run", file, "--log", log, "--json", "--quiet"});
  INFO(played.out << played.err);
  CHECK(played.exit == 1);
  const Json phase = Json::parse(played.out)["scenarios"][0]["phases"][0];
  const std::int64_t dropped = phase["dropped"];
  REQUIRE(dropped > 0);
  const Outcome again = run_rlctl({"run", file, "--logs", log, "--json", "--quiet"});
  CHECK(again.exit == 1);
  CHECK(Json::parse(again.out)["scenarios"][0]["phases"][0] == phase);

  const Outcome judged = run_rlctl({"verify", log});  // with the budget of the scenario
  INFO(judged.out << judged.err);
  CHECK(judged.exit == 4);
  CHECK(contains(judged.out, "never sent"));
  CHECK(contains(judged.out, "or raise --budget-dropped"));
  CHECK(run_rlctl({"verify", log, "--budget-dropped", "100%"}).exit == 0);
  CHECK(run_rlctl({"verify", log, "--budget-late", "1%", "--budget-dropped", "100%"}).exit == 4);

  // An older log does not tell them.
  std::string old = read(log);
  const std::size_t at = old.find(",\"phases\":[");
  REQUIRE(at != std::string::npos);
  old.erase(at, old.find(']', at) + 1 - at);
  const Outcome open =
      run_rlctl({"run", file, "--logs", folder.write("old.jsonl", old), "--json", "--quiet"});
  CHECK(open.exit == 4);
  CHECK(Json::parse(open.out)["scenarios"][0]["phases"][0]["dropped"].is_null());
}

TEST_CASE("run --logs takes no option of traffic, and logs of its scenario only") {
  const Folder folder;
  const std::string burst = folder.write("burst.json", kBurst);
  const std::string log = folder / "run.jsonl";
  run_rlctl({"run", burst, "--log", log, "--quiet"});
  const auto refused = [&](const Arguments& arguments, const char* why) {
    const Outcome outcome = run_rlctl(arguments);
    INFO(outcome.err);
    CHECK(outcome.exit == 2);
    CHECK(contains(outcome.err, why));
  };
  refused({"run", burst, "--logs", log, "--seed", "3"}, "--seed has no effect on a run");
  refused({"run", burst, "--logs", log, "--junit", log}, "is also an input");
  refused({"run", kScenarios + "/holds", "--logs", log}, "--logs needs exactly one scenario");
  refused({"run", kScenarios + "/holds/gcra.json", "--logs", log}, "one is of 'burst/api'");
  const std::string other =
      with_one(kBurst, "\"name\": \"burst\", \"policy\"", "\"name\": \"flood\", \"policy\"");
  refused({"run", folder.write("other.json", other), "--logs", log}, "it has no 'burst'");
}

// Each of the runs has half of what their sum would have.
TEST_CASE("two runs of a scenario are not one: run --logs refuses, verify and report say so") {
  const Folder folder;
  const std::string burst = folder.write("burst.json", kBurst);
  const std::string logs[] = {folder / "1.jsonl", folder / "2.jsonl"};
  for (const std::string& log : logs) run_rlctl({"run", burst, "--log", log, "--quiet"});
  const Outcome refused = run_rlctl({"run", burst, "--logs", logs[0], logs[1]});
  INFO(refused.out << refused.err);
  CHECK(refused.exit == 2);
  CHECK(contains(refused.err, "the logs are of 2 runs ('"));
  CHECK(contains(run_rlctl({"verify", logs[0], logs[1]}).out, "are taken as one history"));
  const std::string page = run_rlctl({"report", logs[0], logs[1], "--html", "-"}).out;
  CHECK(contains(page, "2 runs ("));
  CHECK_FALSE(contains(page, "rlctl run " + burst));  // it plays only one of them
}

TEST_CASE("run: a scenario that expects a broken limiter to hold fails, with the proof") {
  Folder folder;
  const std::string broken =
      with_one(read(kScenarios + "/breaks/fixed-edge.json"), "\"violated\"", "\"holds\"");
  const Outcome outcome =
      run_rlctl({"run", folder.write("fixed-edge.json", broken), "--junit", folder / "out.xml"});
  CHECK(outcome.exit == 1);
  CHECK(contains(outcome.out, "FAILED"));
  CHECK(contains(outcome.out, "200 admissions"));
  CHECK(contains(read(folder / "out.xml"), "<failure"));
}

TEST_CASE("run --expect adds an expectation that the file does not have") {
  const std::string edge = kScenarios + "/breaks/fixed-edge.json";
  const Outcome asked = run_rlctl({"run", edge, "--expect", "holds"});
  CHECK(asked.exit == 1);
  CHECK(contains(asked.out, "expected holds, "));
  CHECK(run_rlctl({"run", edge, "--expect", "violated"}).exit == 0);
  CHECK(run_rlctl({"run", edge, "--expect", "hold"}).exit == 2);
}

TEST_CASE("run: a broken expectation fails a scenario whose verdict is right") {
  Folder folder;
  const std::string file =
      folder.write("burst.json", with_one(kBurst, "\"allowed == 5\"", "\"allowed == 6\""));
  const Outcome outcome = run_rlctl({"run", file, "--json"});
  CHECK(outcome.exit == 1);
  CHECK(Json::parse(outcome.out)["failed"] == 1);
}

TEST_CASE("run: the burst factor of a bucket that holds is at most 1") {
  Folder folder;
  const std::string file = folder.write("bucket.json", R"({
  "clock": "virtual", "verdict": "holds",
  "policies": {"api": {"algo": "token-bucket", "rules": "bucket 10 + 10/1s", "key": "rl:<ip>"}},
  "identities": {"bot": {"ip": "203.0.113.7"}},
  "phases": [{"name": "flood", "policy": "api", "who": "bot", "rate": "100/s", "for": "3s"}],
  "expect": ["peak > 10", "burst_factor <= 1", "burst_factor{phase=flood} > 0.9"]
})");
  const Outcome outcome = run_rlctl({"run", file, "--json"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(Json::parse(outcome.out)["scenarios"][0]["policies"][0]["totals"]["burst_factor"] <= 1);
}

TEST_CASE("run: on the virtual clock one seed gives one log, except for the run's name") {
  Folder folder;
  const std::string file = folder.write("burst.json", kBurst);
  const auto log_of = [&](const std::string& name) {
    REQUIRE(run_rlctl({"run", file, "--log", folder / name, "--quiet"}).exit == 0);
    const std::string log = read(folder / name);
    return log.substr(log.find('\n'));  // the header names the run
  };
  const std::string first = log_of("a.jsonl");
  CHECK(std::count(first.begin(), first.end(), '\n') == 22);
  CHECK(first == log_of("b.jsonl"));
}

TEST_CASE("run --list, --scenario and --dry-run send nothing") {
  const Outcome list = run_rlctl({"run", kScenarios + "/holds", "--list"});
  CHECK(list.exit == 0);
  CHECK(contains(list.out, "watch-incr"));
  const Outcome dry =
      run_rlctl({"run", kScenarios + "/breaks", "--scenario", "fixed-edge", "--dry-run"}, {},
                {"PATH=/nowhere"});
  CHECK(dry.exit == 0);
  CHECK(contains(dry.out, "boundary"));
  const Outcome unknown = run_rlctl({"run", kScenarios + "/breaks", "--scenario", "fixed-edgy"});
  CHECK(unknown.exit == 2);
  CHECK(contains(unknown.err, "fixed-edge"));
}

TEST_CASE("run: a file with a mistake stops --list never, --scenario only if it is chosen") {
  const rlctl::test::Folder folder;
  const std::string good = R"({"verdict": "holds",
    "policies": {"api": {"algo": "sliding-list", "rules": "5/10s", "key": "rl:<ip>"}},
    "identities": {"bot": {"ip": "203.0.113.7"}},
    "phases": [{"name": "p", "policy": "api", "who": "bot", "rate": "2/1s", "for": "5s"}])";
  folder.write("good.scenario.json", good + R"(, "clock": "virtual"})");
  folder.write("secret.scenario.json", good + R"(, "clock": "wall", "name": "prod",
                          "target": {"kind": "http", "url": "${NOT_SET}/"}})");
  const std::string where = folder.path();
  const Outcome list = run_rlctl({"run", where, "--list"});
  CHECK(list.exit == 0);
  CHECK(list.out == "good  " + (folder / "good.scenario.json") + "\nprod  " +
                        (folder / "secret.scenario.json") + "  2 mistakes\n");
  CHECK(run_rlctl({"run", where, "--scenario", "good"}).exit == 0);
  const Outcome chosen = run_rlctl({"run", where, "--scenario", "prod"});
  CHECK(chosen.exit == 2);
  CHECK(contains(chosen.err, "the environment variable NOT_SET is not set"));
  CHECK(contains(chosen.err, "2 mistakes in 1 file: nothing was sent"));
  CHECK(contains(run_rlctl({"run", where, "--scenario", "prode"}).err, "prod"));
  CHECK(run_rlctl({"run", where}).exit == 2);
}

TEST_CASE("run: a scenario over its wall budget is inconclusive, and ends") {
  Folder folder;
  std::string slow = with_one(kBurst, "\"virtual\"", "\"wall\"");
  slow = with_one(slow, R"("bursts": [{"at": "0s", "count": 20}])",
                  R"("rate": "20/1s", "for": "60s")");
  slow = with_one(slow, "\"expect\": [\"allowed == 5\", \"peak <= 5\"]",
                  "\"budget\": {\"wall\": \"1s\"}");
  const Outcome outcome = run_rlctl({"run", folder.write("slow.json", slow)});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 4);
  CHECK(contains(outcome.out, "stopped after 1s"));
  // If the limit held until then, that is not a pass.
  std::string denying = with_one(slow, "\"limit\": 5", "\"limit\": 2");
  denying = with_one(denying, "\"window\": \"60s\"", "\"window\": \"1s\"");
  const Outcome cut = run_rlctl({"run", folder.write("slow.json", denying), "--json"});
  CHECK(cut.exit == 4);
  CHECK(contains(cut.out, "\"complete\":false"));
}

TEST_CASE("run: traffic that this machine sent late is repeated and proves nothing") {
  Folder folder;
  std::string late = with_one(kBurst, "\"virtual\"", "\"wall\"");
  late = with_one(late, "\"allowed == 5\"", "\"allowed == 6\"");
  const std::string strict = with_one(
      late, "\"expect\"", "\"budget\": {\"late\": \"0%\", \"late_after\": \"1us\"}, \"expect\"");
  const Outcome again = run_rlctl({"run", folder.write("strict.json", strict), "--attempts", "2"});
  INFO(again.out << again.err);
  CHECK(again.exit == 4);
  CHECK(contains(again.out, "played 2 times"));
  CHECK(contains(again.out, "more requests were sent late than budget/late allows"));
  const std::string lenient =
      with_one(late, "\"expect\"", "\"budget\": {\"late\": \"100%\"}, \"expect\"");
  const Outcome once = run_rlctl({"run", folder.write("lenient.json", lenient)});
  CHECK(once.exit == 1);
  CHECK_FALSE(contains(once.out, "played"));
  CHECK(run_rlctl({"run", folder / "lenient.json", "--attempts", "0"}).exit == 2);
}
