// Invalid scenario files: each mistake is reported with its place and a suggestion.
#include <doctest/doctest.h>

#include "tools/golden.h"
#include "unit/scenario/scenario_fixture.h"

using namespace rlctl;

namespace {

const std::string kGolden = RLCTL_UNIT_DIR "/scenario/mistakes.golden";
const std::string kAddress = R"({"ip": "203.0.113.7"})";

// A valid scenario by the name that the golden file uses.
std::string base(const std::string& name) {
  if (name == "small") return small_scenario();
  if (name == "whole") return whole_scenario();
  REQUIRE(name == "http");
  const std::string bare = replaced(small_scenario(), R"("algo": "sliding", )", "");
  return replaced(bare, "virtual", "wall");
}

std::string with_target(const std::string& target) {
  return replaced(base("http"), "\"identities\"", "\"target\": " + target + ", \"identities\"");
}

// The golden file with the mistakes that are found now.
std::string found_now(const std::vector<std::string>& golden) {
  std::string text;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    text += golden[i] + "\n";
    if (!golden[i].starts_with("in ")) continue;
    const std::size_t colon = golden[i].find(": ");
    const std::string name = golden[i].substr(3, colon - 3);
    const std::string& put = golden.at(++i);
    REQUIRE(put.starts_with("put: "));
    const ParsedScenario result =
        parsed(replaced(base(name), golden[i - 1].substr(colon + 2), put.substr(5)));
    CHECK_MESSAGE(result.placed_mistakes.size() > 0, put);
    CHECK_FALSE(result.scenario);
    text += put + "\n" + result.mistakes;
    while (i + 1 < golden.size() && !golden[i + 1].empty()) ++i;
  }
  return text;
}

}  // namespace

TEST_CASE("names of the file can't control the terminal, not in suggestions either") {
  const std::string named = replaced(small_scenario(), "{\"api\"", "{\"\\u001b[2Jx\"");
  const std::string mistakes = mistakes_in(named);
  CHECK(mistakes.find('\x1b') == std::string::npos);
  CHECK(mistakes.find("\\x1b[2Jx") != std::string::npos);
}

TEST_CASE("each edit of mistakes.golden gives exactly its mistakes") {
  const std::string golden = rlctl::test::read_golden(kGolden);
  CHECK(rlctl::test::compare_with_golden(kGolden, found_now(rlctl::test::lines_of(golden))) == "");
}

TEST_CASE("a mistake is shown under its line, with its pointer and a suggestion") {
  const std::string line = R"(  "phases": [{"name": "bot", "policy": "apy", )";
  const std::string wrong =
      mistakes_in(replaced(small_scenario(), R"("api", "who")", R"("apy", "who")"));
  CHECK(
      wrong.starts_with("scenarios/test.json:6:40: /phases/0/policy: there is no policy 'apy'\n"
                        "  6 | " +
                        line));
  CHECK(wrong.ends_with("\n    | " + std::string(line.find("\"apy\""), ' ') +
                        "^^^^^\n  did you mean 'api'?\n"));
}

TEST_CASE("all mistakes are reported at once, in the order of the file") {
  std::string text = replaced(small_scenario(), "\"virtual\"", "\"virtaul\"");
  text = replaced(text, "\"limit\": 20", "\"limt\": 20, \"limit\": 0");
  text = replaced(text, "\"5m\"", "\"5\"");
  text = replaced(text, "over_admitted", "over_admited");
  const ParsedScenario result = parsed(text);
  CHECK(result.placed_mistakes.size() == 5);
  std::size_t at = 0;
  for (const char* place : {":2:12: /clock", ":4:43: /policies/api/limt",
                            ":4:64: /policies/api/limit", "/phases/0/for", ":7:15: /expect/0"}) {
    CAPTURE(result.mistakes);
    at = result.mistakes.find(place, at);
    CHECK_MESSAGE(at != std::string::npos, place);
  }
}

TEST_CASE("every verdict that a scenario may expect is named") {
  const std::string all = "it is one of holds, violated, inconclusive, any";
  const std::string missing = mistakes_in(replaced(small_scenario(), R"("verdict": "holds",)", ""));
  CHECK(missing.find("set the expected verdict: " + all) != std::string::npos);
  const std::string wrong =
      mistakes_in(replaced(small_scenario(), R"("verdict": "holds")", R"("verdict": "x1y2z3")"));
  CHECK(wrong.find(all) != std::string::npos);
  for (const char* word : {"holds", "violated", "inconclusive", "any"})
    CHECK(mistakes_in(replaced(small_scenario(), R"("verdict": "holds")",
                               "\"verdict\": \"" + std::string(word) + "\"")) == "");
}

TEST_CASE("an address for an HTTP target, and a network for clients, are no mistakes") {
  CHECK(mistakes_in(with_target(R"({"kind": "http", "url": "http://h/<user>"})")) == "");
  CHECK(mistakes_in(replaced(small_scenario(), kAddress,
                             R"({"ip": "10.0.0.0/30", "count": 3, "user": "u<n>"})")) == "");
}

TEST_CASE("a mistake in an expectation is underlined at its place, not as a whole") {
  const std::string found =
      mistakes_in(replaced(small_scenario(), "over_admitted == 0", "peak{phase=bod} <= 5"));
  CHECK(found.find(":7:26: /expect/0: there is no phase 'bod'") != std::string::npos);
  CHECK(found.find(std::string(25, ' ') + "^^^\n") != std::string::npos);
}

TEST_CASE("the content of a file can't control the terminal that shows it") {
  const std::string found = mistakes_in(replaced(small_scenario(), "\"policy\": \"api\"",
                                                 "\"policy\": \"\\u001b[2J\\u202e\xC2\x9B\""));
  CHECK(found.find('\x1b') == std::string::npos);
  CHECK(found.find("\xC2\x9B") == std::string::npos);
  CHECK(found.find("\xE2\x80\xAE") == std::string::npos);
  CHECK(found.find("\\x1b[2J") != std::string::npos);
}

TEST_CASE("a line with a password is not shown") {
  std::string text = replaced(small_scenario(), "\"identities\"",
                              "\"target\": {\"kind\": \"redis\", \"url\": \"redis://u:hunter2@h\", "
                              "\"bogus\": 1},\n \"identities\"");
  const std::string found = mistakes_in(text);
  CHECK(found.find("'bogus'") != std::string::npos);
  CHECK(found.find("hunter2") == std::string::npos);
}

TEST_CASE("a file that is not an object is one mistake") {
  CHECK(parsed("[]").placed_mistakes.size() == 1);
  CHECK(parsed("42").placed_mistakes.size() == 1);
  CHECK(parsed("").placed_mistakes.size() == 1);
  CHECK(mistakes_in("{}").find("'policies' is missing") != std::string::npos);
}

TEST_CASE("a list in place of an object is one mistake") {
  const std::string policy =
      R"({"algo": "sliding", "limit": 20, "window": "60s", "key": "rl:<ip>"})";
  CHECK(mistakes_in(replaced(small_scenario(), policy, "[1, 2]")).find("expected an object") !=
        std::string::npos);
}

TEST_CASE("a long list of mistakes is cut") {
  std::string keys;
  for (int i = 0; i < 200; ++i) keys += "\"key" + std::to_string(i) + "\": 1,\n";
  const ParsedScenario result = parsed(replaced(small_scenario(), "\"clock\"", keys + "\"clock\""));
  CHECK(result.placed_mistakes.size() == 200);
  CHECK(result.mistakes.find("and 150 more mistakes") != std::string::npos);
}
