// The README is run as it is printed: every command of every block, in a temporary folder for each
// section, with the built rlctl on PATH. The output must have the README's shape. Where the README
// asks for the exit code, the code must be the same. RLCTL_UPDATE_README=1 writes the output into
// the README instead.
//
// Two things differ from the printed text: verbs that use redis://127.0.0.1:6379 get a private
// server, and port 8080 is replaced by a free one.
#include "cli/support/readme.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "cli/support/process.h"
#include "cli/support/test_redis.h"
#include "tools/folder.h"
#include "tools/free_port.h"
#include "tools/golden.h"

using rlctl::test::lines_of;

namespace {

namespace fs = std::filesystem;

const fs::path kReadme = fs::path(RLCTL_SOURCE_DIR) / "README.md";

// Commands that can't run inside a test, and where they are tested.
const std::map<std::string, std::string> kRunElsewhere{
    {"./scenarios/run.sh", "builds for minutes; its scenarios are the test 'scenarios'"},
    {"./tests/run.sh", "what CI runs: this test is part of it"},
    {"cmake --preset release && cmake --build --preset release -j \"$(nproc)\"",
     "./scenarios/run.sh does"},
    {"cmake --build --preset release --target package", "package_test.cpp makes one"},
    {"sudo apt install ./rlctl_0.1.0_amd64.deb", "package_test.cpp looks into one"},
    {"cmake --install build/release --prefix ~/.local", "package_test.cpp installs into one"},
};

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

const std::vector<ReadmeSection>& sections() {
  static const std::vector<ReadmeSection> all = readme_sections(contents(kReadme));
  return all;
}

// The lines of a CI file that start rlctl, without the list's dash and "run:".
std::vector<std::string> steps_of(const std::vector<std::string>& yaml) {
  std::vector<std::string> steps;
  for (const std::string& line : yaml)
    if (const std::size_t at = line.find("rlctl "); at != line.npos)
      if (line.find_first_not_of(" -") == at || line.substr(0, at).ends_with("run: "))
        steps.push_back(line.substr(at));
  return steps;
}

class Session {
 public:
  explicit Session(const ReadmeSection& section) : section_(section) {
    fs::create_directory(folder_ / "bin");
    for (const char* given : {"scenarios", "lua"})
      fs::create_directory_symlink(fs::path(RLCTL_SOURCE_DIR) / given, folder_ / given);
    folder_.write("bin/rlctl",
                  "#!/bin/sh\ncase $1 in\n  hit|inspect|list|watch|reset|block|unblock|load)"
                  "\n    case \" $* \" in *' --redis '*|*' --target '*) ;; *) set -- \"$@\""
                  " --redis " +
                      redis_.url() +
                      " ;; esac ;;\n  serve) exec '" RLCTL_BINARY
                      "' \"$@\" ;;\nesac\n'" RLCTL_BINARY
                      "' \"$@\"\nexit=$?\n[ $exit != 4 ] || : >'" +
                      folder_ / "inconclusive" + "'\nexit $exit\n");
    folder_.write("bin/redis-cli", "#!/bin/sh\nPATH=${PATH#*:}\nexec redis-cli -s '" +
                                       redis_.url().substr(7) + "' \"$@\"\n");
    for (const char* program : {"bin/rlctl", "bin/redis-cli"})
      fs::permissions(folder_ / program, fs::perms::owner_all);
  }

  // Whether a run of it proved nothing: on a busy machine that may be chance.
  bool was_inconclusive() const { return fs::exists(folder_ / "inconclusive"); }

  // The output of each command, both streams.
  std::vector<std::vector<std::string>> play() {
    std::string script = "trap 'kill $(jobs -p) 2>/dev/null' EXIT\nlast=0\n";
    for (std::size_t i = 0; i < section_.commands.size(); ++i) script += step(i);
    const Outcome outcome =
        run_program("bash", {"-c", "cd " + folder_.path() + "; . ./session"}, prepare(script),
                    {"PATH=" + folder_ / "bin" + ":" + getenv("PATH")});
    CHECK(outcome.err == "");
    std::vector<std::vector<std::string>> printed;
    for (std::size_t i = 0; i < section_.commands.size(); ++i)
      printed.push_back(lines_of(replaced(contents(folder_ / out(i)), port_, "8080")));
    return printed;
  }

 private:
  static std::string out(std::size_t i) { return "out." + std::to_string(i); }

  std::string prepare(const std::string& script) {
    folder_.write("session", script);
    return {};
  }

  // `cat FILE` shows what is in a file that the README's reader is to write: written here.
  std::string step(std::size_t i) {
    const ReadmeCommand& command = section_.commands[i];
    if (kRunElsewhere.contains(command.text)) return {};
    if (command.text.starts_with("cat ")) {
      std::string text;
      for (const std::string& line : command.output) text += line + "\n";
      folder_.write(command.text.substr(4), text);
      if (command.text.ends_with(".yml")) return out_of_ci(i, command.output);
    }
    std::string text = replaced(command.text, "8080", port_);
    text = replaced(text, "/usr/share/rlctl/", folder_.path() + "/");
    folder_.write("command." + std::to_string(i), text + "\n");
    std::string line =
        "(exit $last); . ./command." + std::to_string(i) + " >" + out(i) + " 2>&1; last=$?\n";
    if (text.ends_with("&"))
      line += "until (exec 3<>/dev/tcp/127.0.0.1/" + port_ +
              ") 2>/dev/null; do jobs %1 >/dev/null || break; sleep 0.05; done\n";
    return line;
  }

  // The steps of a CI file are run as the CI service would run them: none may fail.
  std::string out_of_ci(std::size_t i, const std::vector<std::string>& yaml) {
    std::string script = "export GITHUB_STEP_SUMMARY=summary.md\n";
    for (const std::string& step : steps_of(yaml))
      script += step + " >step.out 2>&1 || { echo \"exit $?: " + replaced(step, "\"", "'") +
                "\"; cat step.out; } >&2\n";
    return script + section_.commands[i].text + " >" + out(i) + "\n";
  }

  const ReadmeSection& section_;
  rlctl::test::Folder folder_;
  TestRedis redis_;
  std::string port_ = std::to_string(rlctl::test::free_port());
};

void update(const ReadmeSection& section, const std::vector<std::vector<std::string>>& printed) {
  std::vector<std::string> lines = lines_of(contents(kReadme));
  for (std::size_t i = section.commands.size(); i-- > 0;) {
    const ReadmeCommand& command = section.commands[i];
    const bool shortened = std::ranges::find(command.output, "...") != command.output.end();
    if (shortened || kRunElsewhere.contains(command.text)) continue;
    const auto from = lines.begin() + static_cast<std::ptrdiff_t>(command.output_line - 1);
    lines.erase(from, from + static_cast<std::ptrdiff_t>(command.output.size()));
    std::vector<std::string> block;
    for (const std::string& line : printed[i]) block.push_back(line.empty() ? "" : "    " + line);
    while (!block.empty() && block.back().empty()) block.pop_back();
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(command.output_line - 1),
                 block.begin(), block.end());
  }
  std::ofstream file(kReadme);
  for (const std::string& line : lines) file << line << "\n";
}

// Where the output of a command is another one than the README's; empty: nowhere.
std::string differences(const ReadmeSection& section,
                        const std::vector<std::vector<std::string>>& printed) {
  std::string found;
  for (std::size_t i = 0; i < printed.size(); ++i) {
    const ReadmeCommand& command = section.commands[i];
    if (kRunElsewhere.contains(command.text)) continue;
    const bool is_exit = command.text == "echo $?";
    const std::string first = !is_exit ? difference(command.output, printed[i])
                              : printed[i] == command.output ? ""
                                                             : "another exit code";
    if (!first.empty())
      found += "line " + std::to_string(command.line) + ", " + command.text + "\n" + first;
  }
  return found;
}

constexpr int kMostPlays = 3;

void plays(const std::string& heading) {
  const auto section = std::ranges::find(sections(), heading, &ReadmeSection::heading);
  REQUIRE(section != sections().end());
  std::string found;
  bool again = true;
  for (int i = 0; i < kMostPlays && again; ++i) {
    Session session(*section);
    const auto printed = session.play();
    if (getenv("RLCTL_UPDATE_README") != nullptr) return update(*section, printed);
    found = differences(*section, printed);
    again = !found.empty() && session.was_inconclusive();
  }
  CHECK(found == "");
}

}  // namespace

TEST_CASE("as the README prints it: a fixed window is caught") { plays("What it catches"); }
TEST_CASE("as the README prints it: three commands to the first picture") { plays("Quick start"); }
TEST_CASE("as the README prints it: simulate") { plays("simulate"); }
TEST_CASE("as the README prints it: run") { plays("run: scenario files"); }
TEST_CASE("as the README prints it: serve") { plays("serve"); }
TEST_CASE("as the README prints it: bench") { plays("bench"); }
TEST_CASE("as the README prints it: compare") { plays("compare"); }
TEST_CASE("as the README prints it: verify") { plays("verify"); }
TEST_CASE("as the README prints it: plan") { plays("plan"); }
TEST_CASE("as the README prints it: hit to reset") {
  plays("hit, inspect, list, watch, block, reset");
}
TEST_CASE("as the README prints it: report") { plays("report"); }
TEST_CASE("as the README prints it: policies") { plays("Policies"); }
TEST_CASE("as the README prints it: explore") { plays("explore"); }
TEST_CASE("as the README prints it: the files for CI") { plays("In CI"); }
TEST_CASE("as the README prints it: an algorithm of one file") { plays("Adding one"); }
TEST_CASE("as the README prints it: a Redis command") { plays("A Redis command"); }
TEST_CASE("as the README prints it: how it is built") { plays("Build"); }

TEST_CASE("every command of the README is run by a test") {
  const std::string tests = contents(RLCTL_SOURCE_DIR "/tests/cli/readme_test.cpp");
  std::string commands;
  REQUIRE(sections().size() > 5);
  for (const ReadmeSection& section : sections()) {
    CHECK_MESSAGE(contains(tests, "plays(\"" + section.heading + "\")"), section.heading);
    for (const ReadmeCommand& command : section.commands) commands += "\n" + command.text;
  }
  for (const auto& [command, where] : kRunElsewhere)
    CHECK_MESSAGE(contains(commands + "\n", "\n" + command + "\n"), command);
}

TEST_CASE("two outputs are of one shape when only figures differ") {
  CHECK(shape_of("  p99   1,271 us   ±29%") == shape_of(" p99  96 us  ± 4%"));
  CHECK(shape_of("took 4 m 58 s in 45.1 ms") == shape_of("took 1 s in 2 m"));
  CHECK(shape_of("00:00:00  20  #####......") == shape_of("00:01:00  2  ##..."));
  CHECK(shape_of("sliding holds") != shape_of("sliding violated"));
  CHECK(difference({"a 1", "b"}, {"a 2", "note: busy", "b"}).empty());
  CHECK(difference({"a", "...", "z"}, {"a", "b", "c", "z"}).empty());
  CHECK(difference({"a", "...", "z"}, {"a", "b", "c"}).starts_with("README: z\n"));
  CHECK(difference({"a"}, {"a", "b"}).starts_with("README: nothing more\n"));
}
