// The progress line of long work on a terminal. It must leave nothing behind.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <fstream>

#include "cli/support/process.h"
#include "cli/support/tmux.h"
#include "http/peer.h"

namespace {

const std::string kRlctl = "'" RLCTL_BINARY "'";

// A log that grows until there is a file `enough`, or nobody reads: a shell that was interrupted
// goes on where its `cat` died of the broken pipe and not of the signal.
std::string endless_log(const Tmux& tmux) {
  std::ofstream log(tmux.directory() + "/log");
  log << "time_us,key,outcome\n";
  for (int i = 0; i < 20'000; ++i)
    log << 1'795'214'760'000'000 + i * 1'000 << ",api:u" << i % 100 << ",allowed\n";
  return "(while ! test -e enough && cat log; do :; done)";
}

bool says_nothing_of_progress(const std::string& screen) {
  return screen.find("/s") == screen.npos && screen.find("left") == screen.npos &&
         screen.find("reading") == screen.npos && screen.find("states of") == screen.npos;
}

}  // namespace

TEST_CASE("reading a log shows progress and removes it at the end") {
  Tmux tmux;
  tmux.start(endless_log(tmux) + " | " + kRlctl +
             " verify - --limit 100000000 --window 1s >out; echo over");
  CHECK(tmux.shows("reading: "));
  CHECK(tmux.shows("iB/s"));
  std::ofstream(tmux.directory() + "/enough") << "\n";
  REQUIRE(tmux.shows("over"));
  CHECK(says_nothing_of_progress(tmux.screen()));
}

TEST_CASE("Ctrl-C removes the progress line") {
  Tmux tmux;
  SUBCASE("while a log is read") {
    tmux.start("trap : INT; " + endless_log(tmux) + " | " + kRlctl +
               " verify - --limit 100000000 --window 1s; echo over");
    REQUIRE(tmux.shows("reading: "));
  }
  SUBCASE("while orders are explored") {
    tmux.start("trap : INT; " + kRlctl +
               " explore check-then-add --users 7 --limit 3 --most-states 100000000; echo over");
    REQUIRE(tmux.shows("states of at most 100,000,000"));
  }
  SUBCASE("while traffic is played, and the verdict is still printed") {
    tmux.start("trap : INT; " + kRlctl + " simulate bot --clock wall; echo over");
    REQUIRE(tmux.shows(" of 75s"));
    REQUIRE(tmux.shows(" left, "));
  }
  tmux.type({"C-c"});
  REQUIRE(tmux.shows("over"));
  CHECK(says_nothing_of_progress(tmux.screen()));
}

TEST_CASE("a run that goes on after its planned end says what it waits for, and until when") {
  std::atomic<int> asked = 0;
  const rlctl::test::Peer peer([&](rlctl::test::PeerConnection& connection) {
    const std::string allowed = rlctl::test::response(200);
    const std::string denied = rlctl::test::response(429, "Retry-After: 7200\r\n");
    while (connection.read_request() && connection.write(++asked > 3 ? denied : allowed)) continue;
  });
  const std::string waits = " requests wait for Retry-After, the next one for 2 h";
  const Arguments played{"simulate", "bot",       "--for",       "1s",      "--rate",
                         "20/1s",    "--on-deny", "retry_after", "--limit", "3",
                         "--window", "1s",        "--target",    peer.url()};
  SUBCASE("in its line on a terminal") {
    Tmux tmux;
    std::string command = "trap : INT; " + kRlctl;
    for (const std::string& word : played) command += " " + word;
    tmux.start(command + " >out; echo over");
    CHECK(tmux.shows(waits + ", 20 decisions"));
    tmux.type({"C-c"});
    REQUIRE(tmux.shows("over"));
  }
  SUBCASE("in one message elsewhere") {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point began = Clock::now();
    const auto is_told = [&] { return Clock::now() - began > std::chrono::seconds(4); };
    const Outcome outcome = run_rlctl_interrupted(played, is_told);
    CHECK(outcome.exit == 130);
    CHECK(contains(outcome.err, waits + "; Ctrl-C ends the run\n"));
    CHECK(outcome.err.find(waits) == outcome.err.rfind(waits));
  }
}

TEST_CASE("progress is shown only on terminals that can erase a line, and only if wanted") {
  const Arguments played = {"simulate", "bot", "--clock", "wall", "--rate",   "10/1s",
                            "--for",    "2s",  "--limit", "10",   "--window", "1s"};
  const std::string wipe = "\x1b[K";
  CHECK(contains(run_rlctl_on_terminal(played).out, wipe));
  CHECK(!contains(run_rlctl_on_terminal(played, {}, {"TERM=dumb"}).out, "\x1b"));
  Arguments quiet = played;
  quiet.push_back("--quiet");
  CHECK(!contains(run_rlctl_on_terminal(quiet).out, wipe));
  const Outcome piped = run_rlctl(played);
  CHECK(!contains(piped.out + piped.err, "\x1b"));
  CHECK(!contains(piped.err, "decisions"));
}
