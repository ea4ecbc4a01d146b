#include "limiter/manifest.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "io/redis/script_sha1.h"
#include "limiter/registry.h"
#include "tools/contains.h"

using namespace rlctl;
using test::contains;

namespace {

// The message and the hint of the Error from parsing; empty if there is none.
std::string complaint(const std::string& script, const std::string& given = {}) {
  try {
    parse_manifest({"mine.lua", script}, {}, {"--manifest", given});
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return error.what() + (" | " + error.hint());
  }
  return {};
}

constexpr auto kWhole = R"(#!lua
-- A window that slides. More words
-- follow here.
--
-- rlctl: name     = slide
-- rlctl: keys     = <key>:a, <block_key>
-- rlctl: args     = limit, window_ms, cost, now_us, "a, b", 'x'
-- rlctl: reply    = allowed, _, retry_after_ms, decided_us
-- rlctl: contract = limit/window, denied count
-- rlctl: run      = client
-- rlctl: clock    = redis
-- rlctl: state    = zset: at_ms; when, newest last
-- rlctl: used     = live
-- rlctl: cost     = O(log n)
-- rlctl: flaw     = counts what it denied
return 1
-- rlctl: name = not in the opening comment
)";

}  // namespace

TEST_CASE("a manifest is read from a script's opening comment") {
  const Manifest manifest = parse_manifest({"mine.lua", kWhole});
  CHECK(manifest.name == "slide");
  CHECK(manifest.summary == "A window that slides.");
  CHECK(manifest.keys == std::vector<std::string>{"<key>:a", "<block_key>"});
  REQUIRE(manifest.args.size() == 6);
  CHECK(manifest.args[1].kind == ArgumentKind::window_ms);
  CHECK(manifest.args[1].name() == "window_ms");
  CHECK(manifest.args[4].kind == ArgumentKind::literal);
  CHECK(manifest.args[4].literal == "a, b");
  CHECK(manifest.args[5].literal == "x");
  REQUIRE(manifest.reply.size() == 4);
  CHECK(manifest.reply[1].field == ReplyField::skip);
  CHECK(manifest.reply[2].field == ReplyField::retry_after);
  CHECK(manifest.reply[2].unit_us == 1000);
  CHECK_FALSE(manifest.replies_expressions());
  CHECK(manifest.contract == "limit/window, denied count");
  CHECK(manifest.counts_by() == RuleKind::sliding);
  const Rule promise{.limit = 20, .window_us = 1'000, .counts_denied = true, .block_us = 5};
  CHECK(manifest.promises({20, 1'000, 30, 5}) == Rules{promise});
  CHECK(manifest.run == RunPlace::client);
  CHECK(manifest.clock == ClockSource::redis);
  CHECK(manifest.state.type == StateType::zset);
  CHECK(manifest.state.names == std::vector<std::string>{"at_ms"});
  CHECK(manifest.state.words == "when, newest last");
  CHECK(manifest.used == "live");
  CHECK(manifest.cost == "O(log n)");
  CHECK(manifest.flaw == "counts what it denied");
}

TEST_CASE("a window in the key's name gives a script the time") {
  const Manifest manifest = parse_manifest({"mine.lua",
                                            "-- rlctl: keys = <key>:<window_number>\n"
                                            "-- rlctl: reply = allowed\nreturn 1"});
  CHECK_FALSE(manifest.takes_now());
  CHECK(manifest.is_told_time());
  CHECK(manifest.clock == ClockSource::argument);
}

TEST_CASE("missing values of a manifest have defaults") {
  const Manifest manifest = parse_manifest({"mine.lua", "-- rlctl: reply = allowed\nreturn 1"});
  CHECK(manifest.name.empty());
  CHECK(manifest.summary.empty());
  CHECK(manifest.keys == std::vector<std::string>{"<key>"});
  CHECK(manifest.args.empty());
  CHECK(manifest.promises({20, 1'000, 30}).empty());
  CHECK_FALSE(manifest.counts_by());
  CHECK(manifest.run == RunPlace::server);
  CHECK(manifest.clock == ClockSource::expiry);
  CHECK(manifest.state.type == StateType::none);
  CHECK_FALSE(manifest.takes_now());
}

TEST_CASE("a script with a time argument uses that clock unless it says otherwise") {
  const auto clock = [](const std::string& lines) {
    return parse_manifest({"mine.lua", lines + "\n-- rlctl: reply = allowed"}).clock;
  };
  CHECK(clock("-- rlctl: args = now_s") == ClockSource::argument);
  CHECK(clock("-- rlctl: args = now_us\n-- rlctl: clock = redis") == ClockSource::redis);
  CHECK(clock("-- rlctl: args = limit") == ClockSource::expiry);
}

TEST_CASE("reply expressions keep their commas, brackets and comparisons") {
  const Manifest manifest = parse_manifest(
      {"mine.lua",
       "-- rlctl: reply = allowed = math.max(reply[1], 0) <= limit, remaining = ({1, 2})[2], "
       "retry_after_s = reply[2] == ',)' and 1 or 0"});
  REQUIRE(manifest.reply.size() == 3);
  CHECK(manifest.replies_expressions());
  CHECK(manifest.reply[0].expression == "math.max(reply[1], 0) <= limit");
  CHECK(manifest.reply[1].expression == "({1, 2})[2]");
  CHECK(manifest.reply[2].expression == "reply[2] == ',)' and 1 or 0");
  CHECK(manifest.reply[2].unit_us == 1'000'000);
  CHECK(manifest.reports(ReplyField::remaining));
  CHECK_FALSE(manifest.reports(ReplyField::decided));
}

TEST_CASE("command line settings replace the manifest file's, and these the comment's") {
  const Manifest manifest =
      parse_manifest({"mine.lua", "-- rlctl: args = limit\n-- rlctl: reply = remaining, allowed"},
                     {"mine.lua.manifest", "# words\n\nreply = allowed\ncontract = limit/window\n"},
                     {"--manifest", "contract = bucket 9 + 1/1s"});
  CHECK(manifest.args.size() == 1);
  CHECK(manifest.reply.size() == 1);
  CHECK(manifest.contract == "bucket 9 + 1/1s");
}

TEST_CASE("a manifest file may have comment markers as in a script") {
  const Manifest manifest = parse_manifest(
      {"mine.lua", "return 1"}, {"mine.lua.manifest", "-- words\n-- rlctl: reply = allowed\r\n"});
  CHECK(manifest.reply.size() == 1);
}

TEST_CASE("a mistake in a manifest is shown with file, line and a valid value") {
  const std::string reply = "-- rlctl: reply = allowed\n";
  CHECK(
      contains(complaint("return 1"), "mine.lua: the manifest does not say what the reply means"));
  CHECK(contains(complaint(reply + "-- rlctl: kyes = a"),
                 "mine.lua:2: 'kyes' is not a manifest name"));
  CHECK(contains(complaint(reply + "-- rlctl: keys"), "mine.lua:2: 'keys' has no value"));
  CHECK(contains(complaint(reply + "-- rlctl: keys ="), "mine.lua:2: 'keys' is empty"));
  CHECK(contains(complaint(reply + "-- rlctl: keys = a,,b"), "mine.lua:2: a key is empty"));
  CHECK(contains(complaint(reply + reply),
                 "mine.lua:2: 'reply' is given twice | the first is at mine.lua:1"));
  CHECK(contains(complaint(reply + "-- rlctl: args = limit, windwo_ms"),
                 "mine.lua:2: 'windwo_ms' is not an argument | it is one of limit, cost"));
  CHECK(contains(complaint(reply + "-- rlctl: args = 'open"), "''open' is not an argument"));
  CHECK(
      contains(complaint("-- rlctl: reply = alowed"), "mine.lua:1: 'alowed' is not a reply value"));
  CHECK(contains(complaint("-- rlctl: reply = remaining"), "which value is `allowed`"));
  CHECK(contains(complaint("-- rlctl: reply = allowed, allowed"), "'allowed' is given twice"));
  CHECK(contains(complaint("-- rlctl: reply = allowed, count = reply[1]"), "throughout"));
  CHECK(contains(complaint("-- rlctl: reply = allowed = "), "'allowed' has no expression"));
  CHECK(contains(complaint(reply + "-- rlctl: contract = limit/window fixd"),
                 "'limit/window fixd': 'fixd' is not a kind of window | for example: contract = "));
  CHECK(contains(complaint(reply + "-- rlctl: run = cloud"), "'cloud' is not a place to run"));
  CHECK(contains(complaint(reply + "-- rlctl: clock = argument"), "no argument is the time"));
  CHECK(contains(complaint(reply + "-- rlctl: state = set: a"), "'set' is not a type of key"));
  CHECK(
      contains(complaint(reply + "-- rlctl: state = list: a b"), "'a b' is not a name for a part"));
  CHECK(contains(complaint(reply, "reply = allowed\nreply = allowed"),
                 "--manifest:2: 'reply' is given twice"));
}

TEST_CASE("the manifest of a command has its words, keys and arguments") {
  const Manifest manifest = parse_manifest(
      {"the command", ""}, {},
      {"", "command = LIMIT.TAKE <limit> '{<key>}:a b' <key> EX \"9\"\nreply = allowed"});
  REQUIRE(manifest.command.size() == 6);
  CHECK(manifest.command[1].kind == ArgumentKind::limit);
  CHECK(manifest.command[5].literal == "9");
  CHECK(manifest.keys == std::vector<std::string>{"{<key>}:a b", "<key>"});
  REQUIRE(manifest.args.size() == 1);
  CHECK(manifest.takes(ArgumentKind::limit));
  const std::string both = complaint("-- rlctl: reply = allowed\nreturn 1", "command = INCR <key>");
  CHECK(contains(both, "--manifest:1: a script has no line `command`"));
}

TEST_CASE("bytes of a script that could control a terminal are escaped in messages") {
  CHECK(contains(complaint("-- rlctl: a\x1b[31m = 1"), "'a\\x1b[31m'"));
}

TEST_CASE("only commas outside brackets and quotes split") {
  CHECK(split_at_commas("a, f(b, c), {d, e}, 'g, \\', h' ,i") ==
        std::vector<std::string>{"a", "f(b, c)", "{d, e}", "'g, \\', h'", "i"});
}

TEST_CASE("a script's SHA-1 is the one Redis gives it") {
  CHECK(script_sha1("return 1") == "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
}
