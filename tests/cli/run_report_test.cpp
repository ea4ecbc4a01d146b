// rlctl run on the real binary: the files it writes, and what it refuses to start.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/process.h"
#include "tools/folder.h"

using Json = nlohmann::json;
using rlctl::test::Folder;

namespace {

std::string edge_scenario(const std::string& policy = R"("algo": "fixed")") {
  return R"({
  "clock": "virtual", "verdict": "violated",
  "policies": {"api": {)" +
         policy + R"(, "limit": 10, "window": "60s", "key": "rl:<ip>"}},
  "identities": {"bot": {"ip": "203.0.113.7"}},
  "phases": [{"name": "edge", "policy": "api", "who": "bot", "align": "window",
              "bursts": [{"at": "59.9s", "count": 12}, {"at": "60s", "count": 12}]}],
  "expect": ["peak{phase=edge} == 20"]
})";
}

const Arguments kNoServer{"PATH=/nowhere"};  // with it nothing can be played

}  // namespace

TEST_CASE("run: verify gives the same verdict on the log of a run") {
  Folder folder;
  const std::string file = folder.write("edge.json", edge_scenario());
  const Outcome played = run_rlctl({"run", file, "--log", folder / "log.jsonl"});
  INFO(played.out << played.err);
  CHECK(played.exit == 0);
  CHECK(played.out.starts_with("passed       edge"));
  CHECK(contains(played.out, "violated, as expected: 20 admissions within 100 ms"));
  const Outcome judged = run_rlctl({"verify", folder / "log.jsonl", "--json"});
  CHECK(judged.exit == 1);
  CHECK(Json::parse(judged.out)["totals"]["peak"] == 20);
}

TEST_CASE("run: verify and report find denials that are wrong because no key was used before") {
  Folder folder;
  folder.write("shy.lua",
               "-- rlctl: keys = <key>\n-- rlctl: args = limit\n-- rlctl: reply = allowed\n"
               "return redis.call('INCR', KEYS[1]) > 3 and 1 or 0\n");
  const std::string file = folder.write("shy.json", R"({
  "clock": "wall", "verdict": "holds",
  "policies": {"api": {"script": "shy.lua", "rules": "50/60s", "key": "rl:<ip>"}},
  "identities": {"bot": {"ip": "203.0.113.7"}},
  "phases": [{"name": "few", "policy": "api", "who": "bot", "rate": "50/s", "for": "200ms"}],
  "budget": {"late": "100%"}
})");
  const std::string found = "3 of 3 denials were wrong: the limit had not been reached";
  const Outcome played = run_rlctl({"run", file, "--log", folder / "log.jsonl"});
  INFO(played.out << played.err);
  CHECK(played.exit == 1);
  CHECK(contains(played.out, found));
  const Outcome judged = run_rlctl({"verify", folder / "log.jsonl", "--budget-late", "100%"});
  CHECK(judged.exit == 1);
  CHECK(contains(judged.out, "violated: " + found));
  const Outcome page = run_rlctl({"report", folder / "log.jsonl", "--markdown", "-"});
  CHECK(contains(page.out, "failed: expected holds, found violated: " + found));
}

TEST_CASE("run --json is one object with all results and its schema") {
  Folder folder;
  const std::string file = folder.write("edge.json", edge_scenario());
  const Outcome outcome = run_rlctl({"run", file, "--json"});
  const Json document = Json::parse(outcome.out);
  CHECK(document["schema"] == "rlctl.run/1");
  CHECK(document["passed"] == 1);
  const Json& scenario = document["scenarios"][0];
  CHECK(scenario["outcome"] == "passed");
  CHECK(scenario["found"]["verdict"] == "violated");
  CHECK(scenario["policies"][0]["totals"]["peak"] == 20);
  CHECK(scenario["phases"][0]["offered"] == 24);
  CHECK(scenario["expectations"][0]["measured"] == "20");
}

TEST_CASE("run: terminal, JUnit, and the pages of log and result have one headline") {
  Folder folder;
  for (const std::string verdict : {"violated", "holds", "any"}) {
    CAPTURE(verdict);
    std::string text = edge_scenario();
    text.replace(text.find("\"violated\""), 10, "\"" + verdict + "\"");
    const std::string holds = "peak{phase=edge} == 20";
    text.replace(text.find(holds), holds.size(), "peak == 21");
    const std::string file = folder.write("edge.json", text);
    const Outcome played = run_rlctl(
        {"run", file, "--json", "--log", folder / "log.jsonl", "--junit", folder / "junit.xml"});
    const std::string sentence = Json::parse(played.out)["scenarios"][0]["sentence"];
    folder.write("result.json", played.out);
    CHECK(contains(folder.read("junit.xml"), "name=\"sentence\" value=\"" + sentence + "\""));
    for (const char* source : {"log.jsonl", "result.json"})
      CHECK(contains(run_rlctl({"report", folder / source, "--markdown", "-"}).out,
                     "failed: " + sentence + "\n"));
  }
}

TEST_CASE("run: the advice keeps the options that were given") {
  Folder folder;
  const std::string file = folder.write("edge.json", edge_scenario());
  const Arguments arguments{"run", file, "--expect", "holds", "--seed", "5", "--threads", "1"};
  const std::string again = "next: rlctl run " + file + " --seed 5 --threads 1 --expect holds";
  CHECK(contains(run_rlctl(arguments).out, again + " --log run.jsonl, then"));
  Arguments logged = arguments;
  logged.insert(logged.end(), {"--log", folder / "my.jsonl"});
  CHECK(contains(run_rlctl(logged).out,
                 "next: rlctl report " + folder / "my.jsonl" + " -o run.html\n"));
}

TEST_CASE("run: a passing run has no red word on a terminal, not even a heading") {
  Folder folder;
  const std::string file = folder.write("edge.json", edge_scenario());
  const std::string command = std::string(RLCTL_BINARY) + " run " + file;
  const std::string out =
      run_program("script", {"-qec", command, "/dev/null"}, "", {"TERM=xterm"}).out;
  CHECK(contains(out, "\x1b[32mpassed\x1b[0m"));
  CHECK(contains(out, "  failed  "));
  CHECK(!contains(out, "\x1b[31m"));
}

TEST_CASE("run: the report of a result and its log counts each scenario once") {
  Folder folder;
  folder.write("a/edge.json", edge_scenario());
  for (const char* name : {"b", "c", "d", "e"})
    folder.write(std::string("a/") + name + ".scenario.json", edge_scenario());
  const Outcome played =
      run_rlctl({"run", folder / "a/edge.json", folder / "a/b.scenario.json",
                 folder / "a/c.scenario.json", folder / "a/d.scenario.json",
                 folder / "a/e.scenario.json", "--json", "--log", folder / "log.jsonl"});
  REQUIRE_MESSAGE(played.exit == 0, played.err);
  folder.write("result.json", played.out);
  const std::string text =
      run_rlctl({"report", folder / "result.json", folder / "log.jsonl", "--markdown", "-"}).out;
  CHECK(contains(text, "## ✅ passed: all 5 scenarios passed\n"));
  CHECK(contains(text, "Scenarios: 5 passed"));
}

TEST_CASE("run: a report that can't be written is an error before anything is sent: exit 5") {
  Folder folder;
  const std::string file = folder.write("edge.scenario.json", edge_scenario());
  const Outcome outcome =
      run_rlctl({"run", file, "--junit", folder / "none/out.xml"}, {}, kNoServer);
  CHECK(outcome.exit == 5);
  const Outcome twice = run_rlctl({"run", file, "--junit", "-", "--json"}, {}, kNoServer);
  CHECK(twice.exit == 2);
  CHECK(contains(twice.err, "two outputs"));
  const Outcome over = run_rlctl({"run", folder.path(), "--log", file}, {}, kNoServer);
  CHECK(over.exit == 2);
  CHECK(folder.read("edge.scenario.json") == edge_scenario());
}

TEST_CASE("run: a wrong file is an error in JUnit, and no other file is played") {
  Folder folder;
  folder.write("a.scenario.json", edge_scenario());
  folder.write("b.scenario.json", "{ \"clock\": ");
  const Outcome outcome = run_rlctl({"run", folder / "", "--junit", folder / "out.xml"});
  CHECK(outcome.exit == 2);
  CHECK(outcome.out == "");
  const std::string junit = folder.read("out.xml");
  CHECK(contains(junit, "tests=\"1\" failures=\"0\" errors=\"1\""));
  CHECK(contains(junit, "type=\"could_not_run\""));
}

TEST_CASE("run: scripts that can't be played are reported before anything is sent") {
  Folder folder;
  const std::string file = folder.write("edge.json", edge_scenario(R"("algo": "fixd")"));
  const Outcome outcome =
      run_rlctl({"run", file, "--junit", folder / "refused.xml"}, {}, kNoServer);
  CHECK(outcome.exit == 2);
  const std::string junit = folder.read("refused.xml");
  CHECK(contains(junit, "failures=\"0\" errors=\"1\""));
  CHECK(contains(junit, "1 policy that can&apos;t be played"));
}

TEST_CASE("run: the name of a scenario can't control the terminal") {
  Folder folder;
  std::string text = edge_scenario();
  text.insert(1, R"("name": "\u001b[2J\u202ex", )");
  const Outcome outcome = run_rlctl({"run", folder.write("edge.json", text)});
  CHECK(outcome.exit == 0);
  CHECK(!contains(outcome.out + outcome.err, "\x1b"));
  CHECK(contains(outcome.out, "\\x1b[2J"));
}

TEST_CASE("run: without a Redis there is no verdict: exit 3, an error in JUnit") {
  Folder folder;
  const std::string file = folder.write("edge.json", edge_scenario());
  const Outcome outcome = run_rlctl(
      {"run", file, "--redis-server", "/nowhere/redis-server", "--junit", folder / "out.xml"});
  INFO(outcome.out << outcome.err);
  CHECK((outcome.exit == 2 || outcome.exit == 3));
  CHECK(contains(outcome.out, "DID NOT RUN"));
  CHECK(contains(outcome.err, "rlctl: 'edge' did not run: "));
  CHECK(contains(folder.read("out.xml"), "<error type=\"could_not_run\""));
}

TEST_CASE("run: of a file with mistakes the reports have the mistakes, and no values it lacks") {
  Folder folder;
  const std::string file = folder.write(
      "bad.scenario.json", "{\"clock\":\"virtual\",\n\"verdct\":\"violated\",\"seed\":7}");
  const Outcome outcome = run_rlctl({"run", file, "--json", "--junit", folder / "out.xml"});
  CHECK(outcome.exit == 2);
  const Json scenario = Json::parse(outcome.out)["scenarios"][0];
  CHECK(scenario["name"] == "bad");
  for (const char* unknown : {"clock", "seed", "expected", "found"}) {
    CAPTURE(unknown);
    REQUIRE(scenario.contains(unknown));
    CHECK(scenario[unknown].is_null());
  }
  CHECK(scenario["mistakes"].size() == 4);  // the name, and what is required
  CHECK(scenario["mistakes"].back()["line"] == 2);
  CHECK(scenario["mistakes"].back()["column"] == 1);
  CHECK(scenario["mistakes"].back()["pointer"] == "/verdct");
  CHECK(scenario["mistakes"].back()["hint"] == "did you mean 'verdict'?");
  const std::string junit = folder.read("out.xml");
  CHECK(!contains(junit, "name=\"seed\""));
  CHECK(!contains(junit, "name=\"clock\""));
  CHECK(contains(junit, "/verdct"));
  folder.write("out.json", outcome.out);
  const Outcome page = run_rlctl({"report", folder / "out.json", "--junit", "-"});
  CHECK(contains(page.out, "name=\"line 2, column 1, /verdct\""));
  CHECK(contains(page.out, "failures=\"0\" errors=\"4\""));
  CHECK(!contains(page.out, "name=\"seed\""));
}

TEST_CASE("report: a contract that holds has no reason of the policy's violation") {
  const rlctl::test::Folder folder;
  const Outcome run = run_rlctl(
      {"run", RLCTL_SOURCE_DIR "/scenarios/breaks/fixed-edge.json", "--expect", "holds", "--json"});
  const std::string result = folder.write("e.json", run.out);
  const Outcome shown = run_rlctl({"report", result, "--markdown", "-"});
  CHECK(contains(shown.out, "its own contract: holds: found holds\n"));
  CHECK(contains(shown.out, "verdict: holds: found violated: 200 admissions within 100 ms"));
}

TEST_CASE("report: a contract of the limiter's own that is violated has its own reason") {
  const rlctl::test::Folder folder;
  const std::string scenario = folder.write("s.json", R"({
    "verdict": "any", "own_contract": "holds", "clock": "virtual",
    "identities": {"a": {"ip": "10.0.0.1"}},
    "policies": {"p": {"algo": "fixed", "contract": "5/1m", "limit": 5, "window": "1m",
                       "key": "k:<ip>"}},
    "phases": [{"name": "one", "policy": "p", "who": "a", "align": "window",
                "bursts": [{"at": "59s", "count": 5}, {"at": "61s", "count": 5}]}]})");
  const Outcome run = run_rlctl({"run", scenario, "--json"});
  CHECK(run.exit == 1);
  const Outcome shown = run_rlctl({"report", "-", "--markdown", "-"}, run.out);
  CHECK(
      contains(shown.out, "its own contract: holds: found violated: 10 admissions within 2.00 s"));
}
