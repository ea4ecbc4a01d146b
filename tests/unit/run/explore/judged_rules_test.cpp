// Which rules an exploration judges, and what it says of the others.
#include "run/explore/judged_rules.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "base/text.h"

namespace rlctl {
namespace {

Rules rules(const char* text) { return parse_rules(text, "test"); }

struct Judged {
  std::string rules;
  std::string notes;
};

// `text`: the contract that the user gives, or "none".
Judged judged(const char* contract, const char* promised, const char* policy, bool time_passes) {
  const JudgedRules all =
      judged_rules(rules(contract), rules(promised), rules(policy), time_passes);
  return {rules_text(all.rules), joined(all.notes, "; ")};
}

}  // namespace

TEST_CASE("the script's promise stands in for the first rule of the policy, and for no other") {
  const Judged two = judged("none", "2/1m", "2/1m & 1/1h", true);
  CHECK(two.rules == "2/1m & 1/1h");
  CHECK(two.notes.empty());
  CHECK(judged("none", "none", "2/1m & 1/1h", true).rules == "2/1m & 1/1h");
  CHECK(judged("none", "2/1m & 1/1h", "2/1m & 1/1h", true).rules == "2/1m & 1/1h");
}

TEST_CASE("a rule of the policy that is not judged is told, with the way to judge it") {
  const Judged fixed = judged("none", "2/1m fixed", "2/1m", true);
  CHECK(fixed.rules == "2/1m fixed");
  CHECK(fixed.notes ==
        "the verdict is on the contract above, not on the policy '2/1m': to judge that, add "
        "--contract 2/1m");
  const Judged lease = judged("none", "2 in flight, lease 1m", "2/1m", false);
  CHECK(lease.notes.find("not on the policy '2/1m'") != std::string::npos);
  const Judged given = judged("2/1m", "2/1m", "2/1m & 1/1h", false);
  CHECK(given.rules == "2/1m");
  CHECK(given.notes.find("not on the policy '1/1h'") != std::string::npos);
}

TEST_CASE("while the clock stands still, a window speaks for every window") {
  CHECK(judged("none", "2/1m fixed", "2/1m", false).notes.empty());
  CHECK(judged("2/1m fixed", "none", "3/1h", false).notes.empty());
  CHECK_FALSE(judged("2/1m fixed", "none", "1/1h", false).notes.empty());
}

TEST_CASE("what explore can't judge is refused if the user asks for it") {
  for (const char* text : {"2/1m, denied count", "2/1m, per user"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(judged("none", "2/1m", text, false), Error);
    CHECK_THROWS_AS(judged(text, "2/1m", "2/1m", false), Error);
  }
  CHECK_THROWS_AS(judged("2/1m, block 1m", "2/1m", "2/1m", false), Error);
}

TEST_CASE("what explore can't judge of a script's promise is told") {
  const Judged own = judged("none", "2/1m, denied count", "2/1m, block 1m", true);
  CHECK(own.rules == "2/1m");
  CHECK(own.notes ==
        "of the script's contract '2/1m, denied count', explore judges only '2/1m': the admissions "
        "to one key");
}

}  // namespace rlctl
