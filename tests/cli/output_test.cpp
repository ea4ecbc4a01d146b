// Standard streams that are closed, full, or without a reader; and command lines with an unset
// shell variable.
#include <doctest/doctest.h>

#include "cli/support/process.h"
#include "cli/support/test_redis.h"
#include "tools/folder.h"

using rlctl::test::Folder;

namespace {

Outcome shell(const std::string& arguments) {
  return run_program("bash", {"-c", "set -o pipefail; '" RLCTL_BINARY "' " + arguments});
}

const std::string kExplore = "explore check-then-add --users 2 --limit 1 --events none";

}  // namespace

TEST_CASE("a closed stream's descriptor is not reused for another file") {
  CHECK(shell(kExplore + " <&-").exit == 1);
  CHECK(shell(kExplore + " 2>&-").exit == 1);
  const Outcome closed = shell(kExplore + " >&-");
  CHECK(closed.exit == 5);
  CHECK(contains(closed.err, "Bad file descriptor"));
}

TEST_CASE("a full device is named in the error, for small and large output") {
  for (const char* verb : {"algos", "man", "algos sliding-list", "simulate bot --json"}) {
    CAPTURE(verb);
    const Outcome full = shell(std::string(verb) + " >/dev/full");
    CHECK(full.exit == 5);
    CHECK(contains(full.err, "No space left on device"));
  }
}

TEST_CASE("a log that grows beyond the shell's limit is reported as one that can't be written") {
  const Folder folder;
  const Outcome cut = run_program(
      "bash",
      {"-c", "ulimit -f 1; '" RLCTL_BINARY "' simulate bot --log " + (folder / "big.jsonl")});
  CHECK(cut.exit == 5);
  CHECK(contains(cut.err, "can't write"));
  CHECK(contains(cut.err, "File too large"));
}

TEST_CASE("a reader that leaves early is not a failure, for small and large output") {
  for (const char* verb : {"algos", "man", "simulate bot --json"}) {
    CAPTURE(verb);
    const Outcome left = shell(std::string(verb) + " | true");
    CHECK(left.exit == 0);
    CHECK(left.err.empty());
  }
}

TEST_CASE("watch ends if nobody reads its output") {
  TestRedis redis;
  const std::string watch = "watch --interval 100ms --redis " + redis.url();
  const Outcome full = shell(watch + " >/dev/full");
  CHECK(full.exit == 5);
  CHECK(contains(full.err, "No space left on device"));
  CHECK(shell(watch + " | head -n 1").exit == 0);
}

TEST_CASE("if both streams are one file, a message comes behind what was printed before it") {
  TestRedis redis;
  for (int i = 0; i < 100; ++i)
    redis.command({"SET", "api:client-" + std::to_string(i) + ":minute", "3", "PX", "60000"});
  redis.command({"SET", "page", "<html>"});
  const Outcome both = shell("list --redis " + redis.url() + " 2>&1");
  CHECK(both.exit == 0);
  const std::size_t message = both.out.find("\nrlctl: 1 other key not shown");
  REQUIRE(message != std::string::npos);
  CHECK(!contains(both.out.substr(message), "api:client-"));
}

TEST_CASE("a run that does not begin keeps the old log, and a log never overwrites its script") {
  const Folder folder;
  const std::string old = folder.write("old.jsonl", "old");
  CHECK(run_rlctl({"simulate", "bot", "--redis", "redis://127.0.0.1:1", "--log", old}).exit == 3);
  CHECK(run_rlctl({"simulate", "bot", "--redis-server", "/none", "--log", old}).exit == 3);
  CHECK(run_rlctl({"run", folder.write("typo.json", "{"), "--log", old}).exit == 2);
  CHECK(folder.read("old.jsonl") == "old");
  const std::string script = folder.write("mine.lua", "return 1");
  CHECK(run_rlctl({"simulate", "bot", "--algo", script, "--log", script}).exit == 2);
  CHECK(run_rlctl({"bench", "--algo", script, "--log", script}).exit == 2);
  CHECK(folder.read("mine.lua") == "return 1");
}

TEST_CASE("a log on standard output is alone there") {
  const Outcome outcome = run_rlctl({"simulate", "double-click", "--log", "-"});
  CHECK(outcome.out.starts_with("{\"rlctl_log\":2"));
  CHECK(outcome.out.ends_with("}}\n"));
  CHECK(contains(outcome.err, "double-click:"));
  const Outcome refused = run_rlctl({"simulate", "double-click", "--json", "--log", "-"});
  CHECK(refused.exit == 2);
  CHECK(contains(refused.err, "two outputs can't both go to standard output"));
}

TEST_CASE("a Redis that refuses the login is reported, and nothing is played") {
  TestRedis redis;
  const Outcome refused =
      run_rlctl({"simulate", "bot", "--redis", redis.url()}, {}, {"REDISCLI_AUTH=wrong"});
  CHECK(refused.exit == 3);
  CHECK(refused.out.empty());
  CHECK(contains(refused.err, "Redis"));
}

TEST_CASE("verdict words have colours on a terminal, but not in a pipe or with NO_COLOR") {
  const std::string drain = std::string(RLCTL_BINARY) + " simulate boundary --algo fixed --quiet";
  const auto shown = [&](const std::string& before, const std::string& after) {
    return run_program("script", {"-qec", before + drain + after, "/dev/null"}, "", {"TERM=xterm"})
        .out;
  };
  CHECK(contains(shown("", ""), "\x1b[31mviolated\x1b[0m: 2"));
  CHECK(contains(shown("", ""), "in any window: \x1b[31mviolated\x1b[0m"));
  CHECK(!contains(shown("NO_COLOR=1 ", ""), "\x1b["));
  CHECK(!contains(shown("TERM=dumb ", ""), "\x1b["));
  CHECK(!contains(shown("", " | cat"), "\x1b["));
}

TEST_CASE("on a terminal a run that passed is never red") {
  const std::string expected =
      std::string(RLCTL_BINARY) + " simulate boundary --algo fixed --quiet";
  const auto shown = [&](const std::string& verdict) {
    return run_program("script", {"-qec", expected + " --expect " + verdict, "/dev/null"}, "",
                       {"TERM=xterm"})
        .out;
  };
  CHECK(contains(shown("violated"),
                 "\x1b[32mpassed\x1b[0m: violated, own contract holds, as expected"));
  CHECK(!contains(shown("violated"), "\x1b[31m"));
  CHECK(contains(shown("holds"), "\x1b[31m"));
}
