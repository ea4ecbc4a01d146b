#include <doctest/doctest.h>

#include "base/utf8.h"
#include "inspect/watch/frame.h"
#include "inspect/watch/screen_line.h"
#include "inspect/watch/words.h"

using namespace rlctl;

namespace {

constexpr std::int64_t kDrawnAtUs = 1'795'262'405'000'000;  // 2026-11-21 12:00:05

LimiterRow drawn_row(const std::string& name, double used) {
  LimiterRow row;
  row.name = name;
  row.shape = Shape::log;
  row.keys = 1;
  row.used = used;
  row.limit = 20;
  row.allowed_per_s = used / 10;
  return row;
}

WatchScreen screen_of(std::vector<LimiterRow> rows) {
  WatchScreen screen;
  screen.status.server = "redis://127.0.0.1:6379/0";
  screen.status.pattern = "api:*";
  screen.status.policy = "20 per 1m";
  screen.status.now_us = kDrawnAtUs;
  screen.status.limiters = static_cast<std::int64_t>(rows.size());
  screen.status.keys = 9;
  screen.status.passes = 1;
  screen.status.load = 0.004;
  screen.status.load_limit = 0.01;
  screen.rows = std::move(rows);
  return screen;
}

std::vector<LimiterRow> busy_rows() {
  std::vector<LimiterRow> rows{drawn_row("api:203.0.113.7:minute", 20),
                               drawn_row("api:203.0.113.8:minute", 17),
                               drawn_row("api:203.0.113.9:minute", 5)};
  rows[0].block = {"", true, 41'300'000, kDrawnAtUs + 41'300'000};
  rows[1].denied_per_s = 0;
  return rows;
}

constexpr ScreenStyle kPlain{Paint::plain, true};

std::string joined_text(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string frame(const WatchScreen& screen, ScreenSize size = {}) {
  return joined_text(watch_frame(screen, size, kPlain));
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("of a long name the client is shown, which is what differs from the other rows") {
  const SharedParts parts{"LIMITS:LIMITER/", "/login/20/1/minute"};
  CHECK(short_name("LIMITS:LIMITER/10.1.2.3/login/20/1/minute", 25, parts) ==
        "LIMITS:LIMITER/10.1.2.3…");
  CHECK(short_name("LIMITS:LIMITER/10.1.2.3/login/20/1/minute", 30, parts) ==
        "LIM…10.1.2.3/login/20/1/minute");
  CHECK(short_name("a:b:c:b:c", 8, {"a:b:", ":b:c"}) == "a:…c:b:c");
  CHECK(short_name("a:b:c", 4, {"a:b:", ":b:c"}) == "a:…c");
  CHECK(short_name("", 12) == "''");
}

TEST_CASE("80 columns hold the name, the use, its bar, both rates and the state") {
  const std::vector<std::string> lines = watch_frame(screen_of(busy_rows()), {80, 24}, kPlain);
  REQUIRE(lines.size() == 24);
  CHECK(lines[0] ==
        "rlctl watch  redis://127.0.0.1:6379/0  20 per 1m  api:*             12:00:05 UTC");
  CHECK(lines[1] ==
        "3 limiters  rates not known yet                                           by use");
  CHECK(lines[2] == "  limiter                  used  of limit      allow/s  deny/s  state");
  CHECK(lines[3] == "> api:203.0.113.7:minute  20/20  ━━━━━━━━━━━━      2.0       -  blocked 42s");
  CHECK(lines[4] == "  api:203.0.113.8:minute  17/20  ━━━━━━━━━━──      1.7       0  ");
  CHECK(lines[23] ==
        "? help  q quit  s sort  / filter  Enter inspect  r reset       load 0.4 % of 1 %");
}

TEST_CASE("a rate that is not known yet is not shown as none") {
  WatchScreen screen = screen_of(busy_rows());
  CHECK(holds(frame(screen), "3 limiters  rates not known yet  "));
  screen.allowed_per_s = 3;
  CHECK(holds(frame(screen), "3 limiters  ≥ 3.0/s allowed  "));
  screen.rates_complete = true;
  CHECK(holds(frame(screen), "3 limiters  3.0/s allowed  "));
}

TEST_CASE("a rate that rests on a guess is one, in its row and in the sum of all") {
  WatchScreen screen = screen_of(busy_rows());
  screen.rates_complete = true;
  screen.allowed_per_s = 3;
  screen.denied_per_s = 42;
  CHECK(holds(frame(screen), "  3.0/s allowed  42/s denied "));
  screen.rows[1].guess = screen.allowed_is_guess = screen.denied_is_guess = true;
  screen.rows[1].denied_per_s = 42;
  const std::string shown = frame(screen);
  INFO(shown);
  CHECK(holds(shown, "  3.0?/s allowed  42?/s denied "));
  CHECK(holds(shown, "   1.7?     42?  "));
  CHECK(holds(shown, "    0.5       -  "));
  const std::string colour = joined_text(watch_frame(screen, {}, {Paint::colour, true}));
  CHECK_FALSE(holds(colour, "\x1b[0;31m42?"));  // no alarm
}

TEST_CASE("no line is wider than the screen, and the number of lines is the screen's") {
  WatchScreen screen = screen_of(busy_rows());
  screen.rows.push_back(drawn_row("漢字:" + std::string(300, 'x') + "\x1b[2J", 1e9));
  screen.question = "remove the key of '" + std::string(90, 'y') + "'?";
  screen.message = std::string(300, 'm');
  screen.detail = {std::string(400, 'd')};
  for (const WatchMode mode : {WatchMode::table, WatchMode::filter, WatchMode::inspect,
                               WatchMode::confirm_reset, WatchMode::help})
    for (const ScreenSize size : {ScreenSize{80, 24}, ScreenSize{40, 10}, ScreenSize{200, 60},
                                  ScreenSize{60, 15}, ScreenSize{20, 5}, ScreenSize{3, 2}}) {
      screen.view.mode = mode;
      const std::vector<std::string> lines = watch_frame(screen, size, kPlain);
      CHECK(lines.size() == size.rows);
      for (const std::string& line : lines) {
        CAPTURE(line);
        CHECK(display_width(line) <= size.columns);
        CHECK(line.find('\x1b') == std::string::npos);
      }
    }
}

TEST_CASE("a small screen drops the bar, then rates, and a large one widens the bar") {
  const std::string small = frame(screen_of(busy_rows()), {40, 10});
  CHECK(holds(small, "20/20"));
  CHECK(holds(small, "blocked 42s"));
  CHECK(!holds(small, "━"));
  CHECK(!holds(small, "deny/s"));
  const std::string large = frame(screen_of(busy_rows()), {200, 60});
  std::string full;  // 20 of 20
  for (int i = 0; i < 100; ++i) full += "━";
  CHECK(holds(large, full));
}

TEST_CASE("long names lose most of their common part, then their middle, never their end") {
  const std::string name = "ratelimit:ip:203.0.113.7:minute";
  CHECK(short_name(name, 40, {"ratelimit:ip:", ""}) == name);
  CHECK(short_name(name, 25, {"ratelimit:ip:", ""}) == "rateli…203.0.113.7:minute");
  CHECK(short_name(name, 15, {"ratelimit:ip:", ""}) == "…203.….7:minute");
  CHECK(display_width(short_name(name, 15)) == 15);
  const auto shared = [](const std::vector<std::string>& names) {
    std::vector<LimiterRow> rows;
    for (const std::string& one : names) rows.push_back(drawn_row(one, 1));
    std::string words;
    for (const auto& [kind, parts] : shared_parts(rows))
      words += kind + " " + parts.front + " " + parts.back + ";";
    return words;
  };
  CHECK(shared({"a:b:c", "a:b:d"}) == "a a:b: ;");
  CHECK(shared({"a:1:day", "a:2:day", "x/3/y", "x/4/y"}) == "a a: :day;x x/ /y;");
  CHECK(shared({"a:b:c", "x"}) == "");
  CHECK(shared({"a:b:c", "a:b:c:b:c"}) == "a a:b: :b:c;");
}

TEST_CASE("a hostile name stays text in every mode") {
  WatchScreen screen = screen_of({drawn_row("api:\x1b[2J\r\n\xe2\x80\xae", 3)});
  screen.view.subject = screen.rows[0].name;
  screen.view.filter = "\x1b]0;x\x07";
  for (const WatchMode mode : {WatchMode::table, WatchMode::filter, WatchMode::inspect}) {
    screen.view.mode = mode;
    const std::string shown = frame(screen);
    CHECK(!holds(shown, "\x1b"));
    CHECK(!holds(shown, "\r"));
    CHECK(!holds(shown, "\xe2\x80\xae"));
  }
}

TEST_CASE("the question before a reset is fully visible, however long the name is") {
  WatchScreen screen = screen_of(busy_rows());
  screen.view.mode = WatchMode::confirm_reset;
  screen.question = "remove 2 keys of '" + std::string(60, 'k') + "'?";
  CHECK(holds(frame(screen, {40, 10}), "… [y/N]\n"));
  CHECK(holds(frame(screen), "remove 2 keys of 'kkk"));
}

TEST_CASE("without a limit, bars are relative to the most used") {
  std::vector<LimiterRow> rows{drawn_row("a", 100), drawn_row("b", 50)};
  for (LimiterRow& row : rows) row.limit.reset();
  const std::string shown = frame(screen_of(rows));
  CHECK(holds(shown, "of max"));
  INFO(shown);
  CHECK(holds(shown, "50  ━━━━━━━━━━━╸───────────"));
}

TEST_CASE("problems are shown: no connection, stuck, unreadable, nothing found") {
  std::vector<LimiterRow> rows{drawn_row("a", 1), drawn_row("b", 1), drawn_row("c", 20)};
  rows[0].never_reset = true;
  rows[1].problem = "NOPERM this user has no permissions";
  rows[2].frees_at_us = kDrawnAtUs + 65'000'000;
  WatchScreen screen = screen_of(rows);
  screen.status.trouble = "the connection to Redis is lost; trying again";
  const std::string shown = frame(screen);
  INFO(shown);
  CHECK(holds(shown, "STUCK: no expiry"));
  CHECK(holds(shown, "NOPERM"));
  CHECK(holds(shown, "full 65s"));
  screen.rows[0].guess = screen.rows[2].guess = true;
  const std::string guessed = frame(screen);
  CHECK(holds(guessed, "20?/20"));
  CHECK(holds(guessed, "no expiry"));
  CHECK_FALSE(holds(guessed, "STUCK"));
  CHECK(holds(guessed, "full? 65s"));
  CHECK(holds(shown, "the connection to Redis is lost"));
  CHECK(holds(frame(screen_of({})), "no limiters"));
}

TEST_CASE("colours are used only if wanted, and selection and alarms are visible without") {
  const WatchScreen screen = screen_of(busy_rows());
  const std::string colour = joined_text(watch_frame(screen, {}, {Paint::colour, true}));
  CHECK(holds(colour, "\x1b[0;31m20/20"));
  const std::string grey = joined_text(watch_frame(screen, {}, {Paint::monochrome, false}));
  CHECK(!holds(grey, ";3"));
  CHECK(holds(grey, "\x1b[0;7mapi:203.0.113.7:minute"));
  CHECK(holds(grey, "############"));
  CHECK(!holds(grey, "━"));
}

TEST_CASE("only lines that changed are written again") {
  ScreenUpdate update;
  CHECK(update.to({"a", "b", "c"}) ==
        "\x1b[0m\x1b[H\x1b[2J\x1b[1;1H\x1b[2Ka\x1b[2;1H\x1b[2Kb\x1b[3;1H\x1b[2Kc");
  CHECK(update.to({"a", "b", "c"}).empty());
  CHECK(update.to({"a", "x", "c"}) == "\x1b[2;1H\x1b[2Kx");
  CHECK(update.to({"a", "x"}) == "\x1b[3;1H\x1b[2K");
  update.forget();
  CHECK(update.to({"a"}).starts_with("\x1b[0m\x1b[H\x1b[2J"));
}

TEST_CASE("on a narrow screen the state stays, and the name and the use are cut") {
  std::vector<LimiterRow> rows{drawn_row("api:203.0.113.7:minute", 5),
                               drawn_row("api:203.0.113.8:minute", 17)};
  rows[0].never_reset = true;
  rows[1].limit.reset();
  rows[1].guess = true;
  rows[1].value = "59658171.123456789";
  const std::string shown = frame(screen_of(rows), {40, 10});
  INFO(shown);
  CHECK(holds(shown, "STUCK: no expiry"));
  CHECK(holds(shown, "= 596"));
  CHECK(holds(shown, "state"));
}

TEST_CASE("the help explains each sign of the table, and no word of it is cut") {
  WatchScreen screen = screen_of(busy_rows());
  screen.view.mode = WatchMode::help;
  const std::string shown = frame(screen);
  for (const char* sign : {"  = 7 ", "  ? ", "  no expiry  ", "  STUCK "})
    CHECK(holds(shown, sign));
  for (const std::string& line : watch_help(40)) {
    CAPTURE(line);
    CHECK(display_width(line) <= 40);
  }
}
