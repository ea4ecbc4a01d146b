// The help with its examples, the versions, and the answer to an unknown word.
#include <doctest/doctest.h>

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

TEST_CASE("rlctl without a verb shows the verbs and fails") {
  const Outcome nothing = run_rlctl({});
  CHECK(nothing.exit == 2);
  CHECK(contains(nothing.out, "  simulate"));
  CHECK(nothing.out == run_rlctl({"--help"}).out);
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
