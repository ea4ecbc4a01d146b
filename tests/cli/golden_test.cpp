// What rlctl prints, word for word: golden/*.session (cli/support/session.h). RLCTL_UPDATE_GOLDEN=1
// writes what is printed now into the files instead.
#include "tools/golden.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "cli/support/process.h"
#include "cli/support/session.h"

namespace {

namespace fs = std::filesystem;
using namespace rlctl::test;

// Plays golden/NAME.session.
void check_session(const std::string& name) {
  const std::string file = RLCTL_GOLDEN_DIR "/" + name + ".session";
  CHECK(compare_with_golden(file, play_session(read_golden(file))) == "");
}

}  // namespace

TEST_CASE("golden: bench") { check_session("bench"); }
TEST_CASE("golden: compare") { check_session("compare"); }
TEST_CASE("golden: explore") { check_session("explore"); }
TEST_CASE("golden: mistakes") { check_session("mistakes"); }
TEST_CASE("golden: names") { check_session("names"); }
TEST_CASE("golden: options") { check_session("options"); }
TEST_CASE("golden: redis") { check_session("redis"); }
TEST_CASE("golden: reset") { check_session("reset"); }
TEST_CASE("golden: run") { check_session("run"); }
TEST_CASE("golden: serve") { check_session("serve"); }
TEST_CASE("golden: suggestions") { check_session("suggestions"); }
TEST_CASE("golden: verify") { check_session("verify"); }

TEST_CASE("every golden file is played by a test") {
  const std::string tests = read_golden(RLCTL_GOLDEN_DIR "/../golden_test.cpp");
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(RLCTL_GOLDEN_DIR)) {
    CAPTURE(entry.path().string());
    CHECK(contains(tests, "check_session(\"" + entry.path().stem().string() + "\")"));
    ++files;
  }
  CHECK(files > 5);
}

TEST_CASE("a session is replayed with what is printed now") {
  const std::string golden =
      "# A comment.\n\n@file a.json {\n$ rlctl algos nothing-like-it '{folder}'\nold\nexit 0\n";
  const std::string now = play_session(golden);
  CHECK(now.starts_with(
      "# A comment.\n\n@file a.json {\n$ rlctl algos nothing-like-it '{folder}'\n! rlctl: "));
  CHECK(now.ends_with("\nexit 2\n"));
  CHECK(play_session(now) == now);
  CHECK(first_difference(now, now) == "");
  CHECK(first_difference("a\nb\n", "a\nc\n") == "line 2\n  golden: b\n  now:    c");
  CHECK(first_difference("a\n", "a\nc\n") == "line 2\n  golden: (the end)\n  now:    c");
}

TEST_CASE("algos lists every shipped script, and prints one of them") {
  const Outcome list = run_rlctl({"algos"});
  CHECK(list.exit == 0);
  CHECK(contains(list.out, "sliding-list"));
  const Outcome one = run_rlctl({"algos", "sliding-list"});
  CHECK(one.out.starts_with("-- "));
  CHECK(contains(one.out, "-- rlctl: contract = limit/window"));
}

TEST_CASE("algos lists the specimens with their flaws only on request, never among the sound") {
  const Outcome sound = run_rlctl({"algos"});
  const Outcome specimens = run_rlctl({"algos", "--specimens"});
  CHECK(specimens.exit == 0);
  CHECK(contains(specimens.out, "get-then-incr\n  Seller quota, naive"));
  CHECK(contains(specimens.out, "flaw: never refills"));
  CHECK_FALSE(contains(specimens.out, "sliding-list"));
  CHECK_FALSE(contains(sound.out, "get-then-incr"));
  CHECK(run_rlctl({"algos", "get-then-incr"}).out.starts_with("-- Seller quota"));
}

TEST_CASE("algos refuses an option that says nothing about what it prints") {
  const auto refusal = [](const Arguments& more) {
    Arguments arguments{"algos"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_rlctl(arguments);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK(contains(refusal({"gcra", "--specimens"}), "--specimens does not apply to 'gcra'"));
  CHECK(contains(refusal({"gcra", "--known-keys"}), "--known-keys does not apply to 'gcra'"));
  CHECK(contains(refusal({"--specimens", "--known-keys"}),
                 "--specimens does not apply to --known-keys"));
  CHECK(contains(refusal({"--as", "bull"}), "--as does not apply without --known-keys"));
  CHECK(contains(refusal({"--known-keys", "--lua-dir", "."}),
                 "--lua-dir does not apply to --known-keys"));
}
