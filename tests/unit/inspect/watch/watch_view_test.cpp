#include <doctest/doctest.h>

#include "inspect/watch/view.h"

using namespace rlctl;
using Kind = TerminalKey::Kind;

namespace {

constexpr std::int64_t kViewedAtUs = 1'795'214'760'000'000;

LimiterRow row(const std::string& name, double used, double limit = 0, double allowed = 0) {
  LimiterRow row;
  row.name = name;
  row.used = used;
  if (limit > 0) row.limit = limit;
  row.allowed_per_s = allowed;
  return row;
}

LimiterRow blocked(LimiterRow row, std::int64_t left_us) {
  row.block = {"", true, left_us, kViewedAtUs + left_us};
  return row;
}

std::string names(const std::vector<LimiterRow>& rows) {
  std::string text;
  for (const LimiterRow& row : rows) text += row.name + " ";
  return text;
}

// A view of these rows, used as in a session: keys, order, selection.
struct Screen {
  std::vector<LimiterRow> all;
  WatchView view = {};
  std::size_t page = 3;
  std::vector<LimiterRow> shown = view.arrange(all, kViewedAtUs);

  WatchWish press(TerminalKey key) {
    const WatchWish wish = view.press(key, shown, page);
    look();
    return wish;
  }
  WatchWish press(const std::string& text) { return press(TerminalKey{Kind::text, text}); }
  void look() {
    shown = view.arrange(all, kViewedAtUs);
    view.follow(shown, page);
  }
};

}  // namespace

TEST_CASE("limiters are ordered by use: blocked and full ones first, among them the busier") {
  const std::vector<LimiterRow> rows = {row("a", 5, 20), row("b", 20, 20), row("c", 90, 20, 40),
                                        blocked(row("d", 1, 20), 9), row("e", 19, 20)};
  CHECK(names(WatchView().arrange(rows, kViewedAtUs)) == "d c b e a ");
}

TEST_CASE("blocked limiters come first without a limit, too, and among them the most used") {
  const std::vector<LimiterRow> rows = {row("a", 500), blocked(row("b", 1), 9), row("c", 70),
                                        blocked(row("d", 3), 9)};
  CHECK(names(WatchView().arrange(rows, kViewedAtUs)) == "d b a c ");
}

TEST_CASE("a bucket from which a little has leaked is full, and stays among the full ones") {
  const LimiterRow full = row("b", 4.998, 5), free = row("c", 4, 5);
  CHECK(full.is_full());
  CHECK(full.state_at(kViewedAtUs) == RowState::full);
  CHECK_FALSE(free.is_full());
  CHECK(names(WatchView().arrange({free, full, row("a", 5, 5)}, kViewedAtUs)) == "a b c ");
}

TEST_CASE("every order can be selected, and is reversed by selecting it again") {
  Screen screen{{row("b", 1, 0, 5), row("a", 2, 0, 3), blocked(row("c", 0), 1'000)}};
  screen.press("n");
  CHECK(names(screen.shown) == "a b c ");
  screen.press("n");
  CHECK(names(screen.shown) == "c b a ");
  screen.press("a");
  CHECK(names(screen.shown) == "b a c ");
  screen.press("b");
  CHECK(names(screen.shown).starts_with("c"));
  for (int i = 0; i < kWatchSorts; ++i) screen.press("s");
  CHECK(screen.view.sort == WatchSort::blocked);
}

TEST_CASE("a block that has ended moves nobody to the top") {
  const std::vector<LimiterRow> rows = {blocked(row("a", 1), -5), row("b", 2)};
  CHECK(names(WatchView().arrange(rows, kViewedAtUs)) == "b a ");
}

TEST_CASE("a filter matches part of the shown name, in any case, and is typed like text") {
  Screen screen{{row("api:Alice", 1), row("api:bob\x1b", 2)}};
  screen.press("/");
  for (const char* letter : {"A", "l", "I", "x"}) screen.press(letter);
  CHECK(names(screen.shown).empty());
  screen.press(TerminalKey{Kind::backspace, {}});
  CHECK(names(screen.shown) == "api:Alice ");
  CHECK(screen.press("q") == WatchWish::nothing);  // a letter, not the key
  screen.press(TerminalKey{Kind::clear, {}});
  for (const char* letter : {"\\", "x", "1", "b"}) screen.press(letter);
  CHECK(names(screen.shown) == "api:bob\x1b ");
  screen.press(TerminalKey{Kind::enter, {}});
  CHECK(screen.view.mode == WatchMode::table);
  screen.press(TerminalKey{Kind::escape, {}});
  CHECK(screen.shown.size() == 2);
}

TEST_CASE("a selected limiter stays selected when it moves") {
  Screen screen{{row("a", 9), row("b", 8), row("c", 7), row("d", 6)}};
  screen.look();
  screen.press(TerminalKey{Kind::down, {}});
  CHECK(screen.shown[screen.view.selected].name == "b");
  screen.all[1].used = 1;
  screen.look();
  CHECK(screen.view.selected == 3);
  CHECK(screen.shown[screen.view.selected].name == "b");
  CHECK(screen.view.first == 1);  // scrolled so that it is visible
  screen.all.erase(screen.all.begin() + 1);
  screen.look();
  CHECK(screen.view.selected == 2);  // it is gone: the selection keeps its place
}

TEST_CASE("only a plain yes requests a reset") {
  Screen screen{{row("a", 9), row("b", 8)}};
  for (const char* no : {"n", "q", " ", "r"}) {
    CHECK(screen.press("r") == WatchWish::nothing);
    CHECK(screen.view.mode == WatchMode::confirm_reset);
    CHECK(screen.view.subject == "a");
    CHECK(screen.press(no) == WatchWish::nothing);
    CHECK(screen.view.mode == WatchMode::table);
  }
  screen.press("r");
  CHECK(screen.press(TerminalKey{Kind::enter, {}}) == WatchWish::nothing);
  screen.press("r");
  CHECK(screen.press("y") == WatchWish::reset);
}

TEST_CASE("an empty list allows neither inspect nor reset") {
  Screen screen;
  CHECK(screen.press("r") == WatchWish::nothing);
  CHECK(screen.press(TerminalKey{Kind::enter, {}}) == WatchWish::nothing);
  CHECK(screen.view.mode == WatchMode::table);
  screen.press(TerminalKey{Kind::end, {}});
  CHECK(screen.press("q") == WatchWish::quit);
}
