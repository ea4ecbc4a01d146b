// The help with its examples, the versions, and the answer to an unknown word.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/utf8.h"
#include "cli/support/process.h"
#include "tools/golden.h"

using rlctl::test::lines_of;

namespace {

// The verbs, as bash's completion offers them.
std::vector<std::string> verbs() {
  std::vector<std::string> names;
  bool listed = false;
  for (const std::string& line : lines_of(run_rlctl({"--help"}).out)) {
    if (listed && line.starts_with("  ") && line[2] != ' ')
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (line == "Verbs:") listed = true;
    if (line.empty() && !names.empty()) break;
  }
  return names;
}

std::string help_in_one_line(const std::string& verb) {
  std::istringstream words(run_rlctl({verb, "--help"}).out);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace

TEST_CASE("every verb's help begins with two examples and fits 80 columns") {
  CHECK(verbs().size() >= 15);
  for (const std::string& verb : verbs()) {
    CAPTURE(verb);
    const Outcome help = run_rlctl({verb, "--help"});
    CHECK(help.exit == 0);
    CHECK(help.err.empty());
    CHECK(help.out.starts_with("Examples:\n  rlctl " + verb));
    int examples = 0;
    for (const std::string& line : lines_of(help.out)) {
      CHECK_MESSAGE(rlctl::display_width(line) <= 80, line);
      if (line.starts_with("  rlctl " + verb)) ++examples;
    }
    CHECK(examples >= 2);
    CHECK(contains(help.out, "Usage: rlctl " + verb));
  }
}

TEST_CASE("-h is the host beside other words, if the verb has one, and alone the help") {
  const std::map<std::string, Arguments> needed{
      {"simulate", {"bot"}},
      {"run", {RLCTL_SOURCE_DIR "/scenarios/breaks/fixed-edge.json"}},
      {"hit", {"k", "--policy", "1/1m"}},
      {"inspect", {"k"}},
      {"probe", {"--algo", "fixed", "--policy", "1/1m"}},
      {"reset", {"k"}},
      {"block", {"k", "--for", "1s"}},
      {"unblock", {"k"}},
      {"serve", {"--policy", "1/1m"}}};
  REQUIRE(verbs().size() >= 15);
  for (const std::string& verb : verbs()) {
    CAPTURE(verb);
    const std::string help = run_rlctl({"help", verb}).out;
    CHECK(run_rlctl({verb, "-h"}).out == help);
    if (!contains(help, "\n  -h HOST")) continue;
    Arguments arguments{verb, "-h", "nowhere", "-s", "socket"};
    if (const auto more = needed.find(verb); more != needed.end())
      arguments.insert(arguments.begin() + 1, more->second.begin(), more->second.end());
    const Outcome outcome = run_rlctl(arguments);
    CHECK(outcome.exit == 2);
    CHECK(contains(outcome.err, "-s and -h both name a server"));
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("an option whose value is empty is refused in one line, in every verb") {
  std::size_t options = 0;
  for (const std::string& verb : verbs())
    for (const std::string& line : lines_of(run_rlctl({"help", verb}).out)) {
      const auto name = line.find("--");
      if (!line.starts_with("  -") || name > 6) continue;
      const std::string option = line.substr(name, line.find_first_of(", ", name) - name);
      CAPTURE(verb);
      CAPTURE(option);
      const std::string rest = line.substr(name + option.size(), 2);
      const bool takes_value = rest.size() == 2 && rest != "  ";
      const Outcome outcome = run_rlctl({verb, option + "="});
      CHECK(outcome.exit == 2);
      CHECK(outcome.out.empty());
      CHECK(lines_of(outcome.err).size() == 1);
      CHECK(contains(outcome.err, takes_value ? " needs a value; " : " takes no value; "));
      ++options;
    }
  CHECK(options > 400);
}

TEST_CASE("rlctl without a verb shows the verbs and fails") {
  const Outcome nothing = run_rlctl({});
  CHECK(nothing.exit == 2);
  CHECK(contains(nothing.out, "  simulate"));
  CHECK(nothing.out == run_rlctl({"--help"}).out);
}

TEST_CASE("help and version are verbs too") {
  CHECK(run_rlctl({"help"}).out == run_rlctl({"--help"}).out);
  CHECK(run_rlctl({"help", "verify"}).out == run_rlctl({"verify", "--help"}).out);
  const Outcome unknown = run_rlctl({"help", "verfy"});
  CHECK(unknown.exit == 2);
  CHECK(contains(unknown.err, "there is no verb 'verfy'; did you mean 'verify'?"));
  CHECK(run_rlctl({"version"}).out == run_rlctl({"--version"}).out);
  CHECK(run_rlctl({"-V"}).out == run_rlctl({"--version"}).out);
}

TEST_CASE("every verb's help has its groups of options in the same order") {
  const std::vector<std::string> order{"Options", "Policy",
                                       "Limiter", "Traffic",
                                       "HTTP",    "Redis",
                                       "TLS",     "Judging",
                                       "Budgets", "Logs of other programs",
                                       "Search",  "Output and help"};
  REQUIRE(verbs().size() >= 15);
  for (const std::string& verb : verbs()) {
    CAPTURE(verb);
    auto last = order.begin();
    for (const std::string& line : lines_of(run_rlctl({verb, "--help"}).out)) {
      if (line.starts_with("Examples") || line.starts_with(" ") || !line.ends_with(":")) continue;
      last = std::find(last, order.end(), line.substr(0, line.size() - 1));
      REQUIRE_MESSAGE(last != order.end(), line);
      ++last;
    }
  }
}

TEST_CASE("an option takes the same kind of value in every verb") {
  std::map<std::string, std::string> seen;
  REQUIRE(verbs().size() >= 15);
  for (const std::string& verb : verbs())
    for (const std::string& line : lines_of(run_rlctl({"help", verb}).out)) {
      if (!line.starts_with("  -")) continue;
      const std::string option = line.substr(2, line.find("  ", 2) - 2);
      const auto long_name = option.find("--");
      const std::string name = long_name == option.npos ? option : option.substr(long_name);
      // What a verb does has other parts, what it writes is no name, and statuses tell of a service
      // what an expression tells of a command.
      if (name.starts_with("--only ") || name.starts_with("--scenario ")) continue;
      if (name.starts_with("--allowed ")) continue;
      const auto [known, is_new] = seen.emplace(name.substr(0, name.find(' ')), name);
      CHECK_MESSAGE((is_new || known->second == name),
                    verb << ": " << known->second << ", " << name);
    }
}

TEST_CASE("help says how much a name finds and a fault closes") {
  for (const char* verb : {"list", "watch", "doctor"})
    CHECK(contains(help_in_one_line(verb), "a name stands for all that begin with it"));
  for (const char* verb : {"simulate", "run"})
    CHECK(contains(help_in_one_line(verb), "closes the connections of other programs, too"));
}

TEST_CASE("an unknown option is named, not the argument that its value was taken for") {
  for (const char* verb : {"block", "unblock", "list", "watch", "doctor", "hit", "reset", "inspect",
                           "simulate", "verify"}) {
    CAPTURE(verb);
    for (const Arguments& words :
         {Arguments{"k", "--frob", "3"}, Arguments{"--frob", "3"}, Arguments{"--frob"}}) {
      Arguments arguments{verb};
      arguments.insert(arguments.end(), words.begin(), words.end());
      const Outcome outcome = run_rlctl(arguments);
      CHECK(outcome.exit == 2);
      CHECK(contains(outcome.err, "unknown option '--frob'"));
    }
  }
  CHECK(contains(run_rlctl({"unblock", "k", "--for", "10s"}).err, "unknown option '--for'"));
  CHECK(contains(run_rlctl({"lisst", "-p", "6379"}).err, "unknown verb 'lisst'; did you mean"));
  CHECK(contains(run_rlctl({"block", "a", "b"}).err, "key is given more than once"));
  CHECK(contains(run_rlctl({"block", "--", "a", "-b"}).err, "key is given more than once"));
  CHECK(contains(run_rlctl({"hit", "--", "a", "b"}).err, "unknown argument 'b'"));
}

TEST_CASE("--version names rlctl on the first line, and its libraries") {
  const Outcome outcome = run_rlctl({"--version"});
  CHECK(outcome.exit == 0);
  CHECK(lines_of(outcome.out).front() == "rlctl 0.1.0");
  for (const std::string library : {"hiredis", "libevent", "libcurl", "OpenSSL", "zlib", "LuaJIT",
                                    "fmt", "CLI11", "nlohmann/json"}) {
    CAPTURE(library);
    const std::size_t at = outcome.out.find("  " + library + " ");
    REQUIRE(at != std::string::npos);
    const std::string line = outcome.out.substr(at, outcome.out.find('\n', at) - at);
    CHECK(line.find_first_of("0123456789", library.size()) != std::string::npos);
  }
}
