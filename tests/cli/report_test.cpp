// rlctl report as a user runs it: which files it writes, and what it refuses. The look of the page
// is tested in a browser (tests/browser).
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/support/process.h"
#include "tools/folder.h"

using rlctl::test::Folder;
namespace fs = std::filesystem;

namespace {

// Three admissions with a limit of two.
const std::string kLog =
    "time,key,status\n"
    "1767225600.100,u1,200\n1767225600.200,u1,200\n1767225600.300,u1,200\n";

Outcome report(const Folder& folder, Arguments arguments) {
  arguments.insert(arguments.begin(), {"report", folder / "log.csv", "--limit", "2", "--window",
                                       "60s", "--longest", "1s"});
  return run_rlctl(arguments);
}

std::size_t parts_of(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

std::size_t files_in(const Folder& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), {}));
}

}  // namespace

TEST_CASE("report: every format from one command says violated") {
  const Folder folder;
  folder.write("log.csv", kLog);
  const Outcome outcome =
      report(folder, {"-o", folder / "r.html", "--markdown", folder / "r.md", "--csv",
                      folder / "r.csv", "--junit", folder / "r.xml", "--svg", folder / "r.svg"});
  INFO(outcome.err);
  CHECK(outcome.exit == 0);
  for (const char* name : {"r.html", "r.md", "r.csv", "r.xml", "r.svg"}) {
    INFO(name);
    CHECK(contains(folder.read(name), "violated"));
  }
  CHECK(files_in(folder) == 6);
}

TEST_CASE("report: --most counts in Markdown too") {
  const Folder folder;
  std::string log = kLog;
  for (int key = 2; key <= 12; ++key)
    for (const char* at : {"100", "200", "300"})
      log += "1767225600." + std::string(at) + ",u" + std::to_string(key) + ",200\n";
  folder.write("log.csv", log);
  const auto rows = [&](Arguments most) {
    most.insert(most.end(), {"--markdown", "-"});
    return parts_of(report(folder, most).out, "\n| 'u");
  };
  CHECK(rows({}) == 10);
  CHECK(rows({"--most", "3"}) == 3);
  CHECK(rows({"--most", "11"}) == 11);
  CHECK(rows({"--most", "all"}) == 12);
}

TEST_CASE("report: an input file is never overwritten, by any name") {
  const Folder folder;
  folder.write("log.csv", kLog);
  fs::create_symlink(folder / "log.csv", folder / "link");
  for (const std::string name : {"log.csv", "./log.csv", "link"}) {
    const Outcome outcome = report(folder, {"-o", folder / name});
    CHECK(outcome.exit == 2);
    CHECK(contains(outcome.err, "is also an input"));
  }
  CHECK(folder.read("log.csv") == kLog);
  CHECK(files_in(folder) == 2);
}

TEST_CASE("report: two formats can't share a file or standard output") {
  const Folder folder;
  folder.write("log.csv", kLog);
  for (const std::string second : {"-", "x"}) {
    const std::string first = second == "-" ? "-" : folder / "./x";
    const Outcome outcome =
        report(folder, {"--csv", first, "--svg", second == "-" ? second : folder / second});
    CHECK(outcome.exit == 2);
    CHECK(contains(outcome.err, "two outputs can't both go to"));
  }
  CHECK(report(folder, {"--csv", "/dev/null", "--svg", "/dev/null"}).exit == 0);
  CHECK(files_in(folder) == 1);
}

TEST_CASE("report: an unreadable input leaves no file behind") {
  const Folder folder;
  folder.write("log.csv", "neither,a,log\n");
  const Outcome outcome = report(folder, {"-o", folder / "r.html"});
  CHECK(outcome.exit == 2);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  CHECK(files_in(folder) == 1);
}

TEST_CASE("report: the command that repeats a run can be pasted into a shell") {
  const Folder folder;
  const auto command_of = [&](const std::string& key) {
    const Outcome played =
        run_rlctl({"simulate", "boundary", "--algo", "fixed", "--limit", "3", "--window", "1s",
                   "--key", key, "--log", folder / "q.jsonl", "--json", "--quiet"});
    INFO(played.err);
    folder.write("q.json", played.out);
    const std::string command = nlohmann::json::parse(played.out)["command"];
    for (const char* file : {"q.json", "q.jsonl"})
      CHECK(contains(run_rlctl({"report", folder / file, "--markdown", "-"}).out,
                     "\n```\n" + command + "\n```\n"));
    return command;
  };
  CHECK(contains(command_of("it's\\<ip>"), " --key 'it'\\''s\\<ip>'"));
  CHECK(contains(command_of("it's\n<ip>"), " --key $'it\\x27s\\x0a<ip>'"));
}

TEST_CASE("report: a result without runs is refused in every format") {
  const Folder folder;
  const std::string file = folder.write("b.json", "{\"schema\":\"rlctl.run/1\"}");
  for (const char* format : {"--markdown", "--junit", "--csv", "--html", "--svg"}) {
    const Outcome outcome = run_rlctl({"report", file, format, "-"});
    CHECK(outcome.exit == 2);
    CHECK(outcome.out == "");
    CHECK(contains(outcome.err, "b.json' has no result; let rlctl run --json run to its end"));
  }
}

TEST_CASE("report --csv: what is certain is beside what is possible, also of a bucket") {
  const Folder folder;
  const std::string log = folder / "g.jsonl";
  REQUIRE(run_rlctl({"simulate", "boundary", "--algo", "gcra", "--policy", "bucket 5 + 5/1s",
                     "--log", log, "--quiet"})
              .exit == 0);
  const Outcome csv = run_rlctl({"report", log, "--csv", "-"});
  CHECK(contains(csv.out, ",max_certain,max_possible,"));
  const auto totals = nlohmann::json::parse(run_rlctl({"verify", log, "--json"}).out)["totals"];
  CHECK(totals["max_certain"] <= totals["max_possible"]);
  const auto both = "," + totals["max_certain"].dump() + "," + totals["max_possible"].dump() + ",";
  CHECK(contains(csv.out, both));
}
