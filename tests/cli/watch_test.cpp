// rlctl watch as a user sees it, in a real terminal.
#include <doctest/doctest.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/support/test_redis.h"
#include "cli/support/tmux.h"

namespace {

const std::string kLimits = " --limit 20 --window 60s --load 50% --interval 200ms";

// rlctl in the pane: `pid` is its process, `before` and `after` are the terminal's modes.
std::string watching(const TestRedis& redis, const std::string& arguments = kLimits) {
  return "stty -a >before; sh -c 'echo $$ >pid; exec \"" RLCTL_BINARY "\" watch --redis " +
         redis.url() + arguments + "' 2>err; echo ended with $?; stty -a >after; echo over";
}

void kill_it(const Tmux& tmux, int signal) { kill(std::stoi(tmux.file("pid")), signal); }

// The terminal is as before: its modes, its cursor, its screen.
void check_restored(Tmux& tmux) {
  REQUIRE(tmux.shows("over"));
  CHECK(tmux.file("before") == tmux.file("after"));
  CHECK(!tmux.file("before").empty());
  CHECK(tmux.ask("#{cursor_flag} #{alternate_on} #{wrap_flag}") == "1 0 1");
}

}  // namespace

TEST_CASE("watch --once says when there are more limiters than it keeps") {
  TestRedis redis;
  const std::string fill = "for i = 1, 20002 do redis.call('SET', 'rl:' .. i, i) end";
  redis.command({"EVAL", fill, "0"});
  const Outcome text = redis.rlctl({"watch", "--once", "--interval", "100ms"});
  CHECK(contains(text.out, "there are more limiters: only the most used were kept"));
  CHECK(contains(text.out, "rl:20002"));
  const Outcome few = redis.rlctl({"watch", "rl:2000?", "--once", "--interval", "100ms", "--json"});
  CHECK(nlohmann::json::parse(few.out)["more"] == false);
  CHECK(nlohmann::json::parse(few.out)["load_limit_percent"] == 5);  // as of any scan
}

TEST_CASE("watch shows how full a limiter is, which clients are blocked, and its own load") {
  TestRedis redis;
  redis.command({"SET", "api:half", "10", "PX", "600000"});
  redis.command({"SET", "api:full", "20", "PX", "600000"});
  redis.command({"SET", "api:half:blocked", "1", "PX", "600000"});
  redis.command({"SET", "page", "<html>"});
  Tmux tmux;
  tmux.start(watching(redis));
  REQUIRE(tmux.shows("2 limiters  1 blocked  1 full?"));
  const std::string screen = tmux.screen();
  CHECK(contains(screen, "> api:half "));  // among the full ones, a blocked one comes first
  CHECK(contains(screen, "20?/20  ━━━━━━"));
  CHECK(contains(screen, "10?/20  ━━━━"));
  CHECK((contains(screen, "blocked 10m") || contains(screen, "blocked 9m")));
  CHECK(contains(screen, "% of 50 %"));
  CHECK(!contains(screen, "page"));
  CHECK(redis.calls("keys") == 0);
}

TEST_CASE("watch shows how many are admitted, and denied if a counter counts denials") {
  TestRedis redis;
  redis.command({"SET", "api:counter", "15", "PX", "600000"});
  Tmux tmux;
  tmux.start(watching(redis));
  REQUIRE(tmux.shows("15?/20"));
  redis.command({"INCRBY", "api:counter", "25"});
  CHECK(tmux.comes_to([](const std::string& screen) {
    return contains(screen, "40?/20") && contains(screen, "/s allowed") &&
           contains(screen, "/s denied");
  }));
}

TEST_CASE("watch filters by the typed text, and Esc shows all again") {
  TestRedis redis;
  redis.command({"SET", "api:alice", "3", "PX", "600000"});
  redis.command({"SET", "api:bob", "4", "PX", "600000"});
  Tmux tmux;
  tmux.start(watching(redis));
  REQUIRE(tmux.shows("api:bob"));
  tmux.type({"/"});
  REQUIRE(tmux.shows("filter:"));
  tmux.type({"-l", "ALI"});
  CHECK(tmux.comes_to([](const std::string& screen) {
    return contains(screen, "api:alice") && !contains(screen, "api:bob");
  }));
  tmux.type({"Escape"});
  CHECK(tmux.shows("api:bob"));
}

TEST_CASE("watch asks before it resets, and resets only that limiter") {
  TestRedis redis;
  redis.command({"SET", "api:alice", "9", "PX", "600000"});
  redis.command({"SET", "api:alice:blocked", "1", "PX", "600000"});
  redis.command({"SET", "api:bob", "8", "PX", "600000"});
  Tmux tmux;
  tmux.start(watching(redis));
  REQUIRE(tmux.shows("> api:alice"));
  tmux.type({"r"});
  REQUIRE(tmux.shows("remove 2 keys of 'api:alice'? [y/N]"));
  tmux.type({"n"});
  REQUIRE(tmux.shows("Enter inspect"));
  CHECK(redis.number({"EXISTS", "api:alice", "api:alice:blocked"}) == 2);
  tmux.type({"r"});
  REQUIRE(tmux.shows("remove 2 keys of 'api:alice'? [y/N]"));
  tmux.type({"y"});
  REQUIRE(tmux.shows("2 keys removed"));
  CHECK(redis.number({"EXISTS", "api:alice", "api:alice:blocked"}) == 0);
  CHECK(redis.number({"EXISTS", "api:bob"}) == 1);
  CHECK(tmux.shows("1 limiter "));
}

TEST_CASE("an answer typed before the question removes nothing") {
  TestRedis redis;
  redis.command({"SET", "api:alice", "9", "PX", "600000"});
  Tmux tmux;
  tmux.start(watching(redis));
  REQUIRE(tmux.shows("> api:alice"));
  tmux.type({"-l", "ry"});
  REQUIRE(tmux.shows("[y/N]"));
  tmux.type({"n"});
  REQUIRE(tmux.shows("Enter inspect"));
  CHECK(redis.number({"EXISTS", "api:alice"}) == 1);
}

TEST_CASE("watch inspects the selected limiter and explains its keys") {
  TestRedis redis;
  redis.command({"SET", "api:alice", "9", "PX", "600000"});
  redis.command({"SET", "api:bob", "8", "PX", "600000"});
  Tmux tmux;
  tmux.start(watching(redis));
  REQUIRE(tmux.shows("> api:alice"));
  tmux.type({"Down", "Enter"});
  CHECK(tmux.shows("number 8"));
  tmux.type({"Escape"});
  REQUIRE(tmux.shows("> api:bob"));
  tmux.type({"?"});
  CHECK(tmux.shows("quit"));
  tmux.type({"q"});
  REQUIRE(tmux.shows("> api:bob"));
  tmux.type({"q"});
  CHECK(tmux.shows("ended with 0"));
  check_restored(tmux);
}

TEST_CASE("watch adapts to a resized terminal") {
  TestRedis redis;
  for (int i = 0; i < 30; ++i)
    redis.command(
        {"SET", "api:user:" + std::to_string(100 + i), std::to_string(i), "PX", "600000"});
  Tmux tmux;
  tmux.start(watching(redis));
  REQUIRE(tmux.shows("30 limiters"));
  tmux.resize(60, 15);
  CHECK(tmux.comes_to([](const std::string& screen) {
    // The head, ten limiters, and the keys on the last line.
    return screen.starts_with("rlctl watch") && contains(screen, "api:user:120") &&
           !contains(screen, "api:user:119") && contains(screen, "\n? help");
  }));
  tmux.resize(120, 40);
  CHECK(tmux.comes_to([](const std::string& screen) { return contains(screen, "api:user:100"); }));
}

TEST_CASE("however watch ends, the terminal is restored") {
  TestRedis redis;
  redis.command({"SET", "api:alice", "9", "PX", "600000"});
  Tmux tmux;
  tmux.start(watching(redis));
  REQUIRE(tmux.shows("> api:alice"));
  CHECK(tmux.ask("#{cursor_flag} #{alternate_on}") == "0 1");
  SUBCASE("by Ctrl-C") {
    tmux.type({"C-c"});
    CHECK(tmux.shows("ended with 130"));
  }
  SUBCASE("by SIGTERM") { kill_it(tmux, SIGTERM); }
  SUBCASE("by SIGHUP") { kill_it(tmux, SIGHUP); }
  SUBCASE("by Ctrl-backslash") { tmux.type({"C-\\"}); }
  SUBCASE("by a crash") { kill_it(tmux, SIGSEGV); }
  SUBCASE("by an abort") { kill_it(tmux, SIGABRT); }
  check_restored(tmux);
}

TEST_CASE("Ctrl-Z restores the terminal, and fg draws everything again") {
  TestRedis redis;
  redis.command({"SET", "api:alice", "9", "PX", "600000"});
  Tmux tmux;
  tmux.start("set -m; stty -a >before; '" RLCTL_BINARY "' watch --redis " + redis.url() + kLimits +
             "; stty -a >after; echo over; read go; fg; echo ended");
  REQUIRE(tmux.shows("> api:alice"));
  tmux.type({"C-z"});
  check_restored(tmux);
  tmux.type({"Enter"});
  REQUIRE(tmux.shows("> api:alice"));
  CHECK(tmux.ask("#{cursor_flag} #{alternate_on}") == "0 1");
  tmux.type({"q"});
  CHECK(tmux.shows("ended"));
  CHECK(tmux.ask("#{cursor_flag} #{alternate_on}") == "1 0");
}

TEST_CASE("after a lost connection watch reconnects, and the view continues") {
  TestRedis redis;
  redis.command({"SET", "api:alice", "9", "PX", "600000"});
  Tmux tmux;
  tmux.start(watching(redis));
  REQUIRE(tmux.shows(" 9?/20"));
  redis.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  redis.command({"SET", "api:alice", "11", "PX", "600000"});
  CHECK(tmux.shows("11?/20"));
  CHECK(tmux.comes_to([](const std::string& screen) { return !contains(screen, "trying"); }));
}

TEST_CASE("while paused, watch sends nothing to the server") {
  TestRedis redis;
  redis.command({"SET", "api:alice", "9", "PX", "600000"});
  Tmux tmux;
  tmux.start(watching(redis));
  REQUIRE(tmux.shows(" 9?/20"));
  tmux.type({"p"});
  REQUIRE(tmux.shows("PAUSED"));
  redis.command({"SET", "api:alice", "11", "PX", "600000"});
  // Replies in flight when the key was pressed may still arrive; after that there is silence.
  std::int64_t before = -1;
  CHECK(tmux.comes_to([&](const std::string&) {
    return redis.calls("scan") == std::exchange(before, redis.calls("scan"));
  }));
  CHECK(contains(tmux.screen(), " 9?/20"));
  tmux.type({"p"});
  CHECK(tmux.shows("11?/20"));
}

TEST_CASE("key names can't control the live view") {
  TestRedis redis;
  redis.command({"SET", "api:\x1b[2J\x1b[31m\r\nevil", "9", "PX", "600000"});
  redis.command({"SET",
                 "api:\xe2\x80\xae\xff"
                 "b",
                 "8", "PX", "600000"});
  Tmux tmux(100, 24);
  tmux.start(watching(redis));
  REQUIRE(tmux.shows("2 limiters"));
  const std::string screen = tmux.screen();
  CHECK(screen.starts_with("rlctl watch"));
  CHECK(contains(screen, "> api:\\x1b[2J\\x1b[31m\\x0d\\x0aevil"));
  CHECK(contains(screen, "  api:\\xe2\\x80\\xae\\xffb"));
  tmux.type({"Enter"});
  CHECK(tmux.shows("number 9"));
  CHECK(contains(tmux.screen(), "inspect  api:\\x1b[2J"));
}

TEST_CASE("watch --once prints text that a script can read") {
  TestRedis redis;
  redis.command({"SET", "api:alice", "9", "PX", "600000"});
  redis.command({"SET", "api:alice:blocked", "1", "PX", "600000"});
  const Outcome text = redis.rlctl({"watch", "--once", "--load", "50%", "--interval", "100ms"});
  CHECK(text.exit == 0);
  CHECK(contains(text.out, "1 limiter, 1 blocked"));
  CHECK(contains(text.out, "api:alice"));
  CHECK(!contains(text.out, "\x1b"));
  CHECK(contains(text.err, "= is a number that may be anything"));
  const Outcome printed = redis.rlctl({"watch", "--once", "--json", "--load", "50%", "--interval",
                                       "100ms", "--limit", "20", "--window", "60s"});
  const auto body = nlohmann::json::parse(printed.out);
  CHECK(body["schema"] == "rlctl.watch/1");
  REQUIRE(body["limiters"].size() == 1);
  CHECK(body["limiters"][0]["used"] == nullptr);
  CHECK(body["limiters"][0]["used_if_it_counts"] == 9);
  CHECK(body["limiters"][0]["allowed_per_second"] == nullptr);
  CHECK(body["limiters"][0]["allowed_per_second_if_it_counts"] == 0);
  CHECK(body["limiters"][0]["limit"] == 20);
  CHECK(body["limiters"][0]["blocked"] == true);
  CHECK(body["load_limit_percent"] == 50);
}

TEST_CASE("watch --once says how many limiters it leaves out, and what its signs mean") {
  TestRedis redis;
  for (int i = 0; i < 7; ++i) redis.command({"SET", "rl:" + std::to_string(i), "3", "EX", "60"});
  const Outcome cut = redis.rlctl({"watch", "--once", "--most", "5", "--interval", "100ms"});
  INFO(cut.err);
  CHECK(
      contains(cut.err, "5 of 7 limiters shown, blocked and most used first; --most 7 shows more"));
  CHECK(contains(cut.err, "= is a number that may be anything"));
  const Outcome as_json =
      redis.rlctl({"watch", "--once", "--most", "5", "--interval", "100ms", "--json"});
  CHECK(contains(as_json.err, "5 of 7 limiters shown"));
}
