#include "inspect/watch/view.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/escape.h"
#include "base/text.h"

namespace rlctl {
namespace {

using Kind = TerminalKey::Kind;

// The used share of the limit: of a full limiter 1, even if the counter is higher. Without a limit,
// the used amount.
double used_share(const LimiterRow& row) {
  if (row.limit && *row.limit > 0) return row.is_full() ? 1 : row.used.value_or(-1) / *row.limit;
  return row.used.value_or(-1);
}

// Rounded, so that rows do not change places at every refresh.
double liveliness_of(const LimiterRow& row) {
  return std::floor(std::log2(1 + row.allowed_per_s.value_or(0) + row.denied_per_s.value_or(0)));
}

// The value to sort rows by, the greatest first. A block that never ends counts as the longest.
double weight_of(const LimiterRow& row, WatchSort sort, std::int64_t now_us) {
  switch (sort) {
    case WatchSort::use:
      return used_share(row);
    case WatchSort::allowed:
      return row.allowed_per_s.value_or(-1);
    case WatchSort::denied:
      return row.denied_per_s.value_or(-1);
    case WatchSort::blocked:
      if (!row.is_blocked_at(now_us)) return -1;
      return row.block.left_us ? static_cast<double>(row.block.ends_us - now_us) : 1e18;
    case WatchSort::name:
      break;
  }
  return 0;
}

struct Ranked {
  std::tuple<int, double, int, double> rank;  // the smallest comes first
  const LimiterRow* row = nullptr;
};

// By use, limiters that deny come first, or perhaps do: however little is used. If two
// rows are equal, blocked limiters come first in each order, then busier ones.
Ranked rank_of(const LimiterRow& row, WatchSort sort, std::int64_t now_us) {
  if (sort == WatchSort::name) return {{}, &row};
  const int blocked = row.is_blocked_at(now_us) ? -1 : 0;
  const int urgent = -static_cast<int>(urgency_of(row, now_us).rank);
  return {{sort == WatchSort::use ? urgent : 0, -weight_of(row, sort, now_us), blocked,
           -liveliness_of(row)},
          &row};
}

void step(std::size_t& value, bool back, std::size_t by, std::size_t last) {
  value = back ? value - std::min(value, by) : std::min(last, value + by);
}

}  // namespace

std::vector<LimiterRow> WatchView::arrange(std::vector<LimiterRow> rows,
                                           std::int64_t now_us) const {
  const std::string wanted = lower_case(filter);
  if (!wanted.empty())
    std::erase_if(rows, [&](const LimiterRow& row) {
      return lower_case(escape_for_terminal(row.name)).find(wanted) == std::string::npos;
    });
  // Computes the rank once per row, not per comparison: there may be 10,000 rows.
  std::vector<Ranked> ranked;
  ranked.reserve(rows.size());
  for (const LimiterRow& row : rows) ranked.push_back(rank_of(row, sort, now_us));
  const auto before = [](const Ranked& a, const Ranked& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.row->name < b.row->name;
  };
  std::ranges::sort(ranked, [&](const Ranked& a, const Ranked& b) {
    return reversed ? before(b, a) : before(a, b);
  });
  std::vector<LimiterRow> arranged;
  arranged.reserve(rows.size());
  for (const Ranked& one : ranked) arranged.push_back(*one.row);
  return arranged;
}

void WatchView::select(std::size_t index, const std::vector<LimiterRow>& shown, std::size_t page) {
  selected = shown.empty() ? 0 : std::min(index, shown.size() - 1);
  // In the top row the selection stays on the row, not on the limiter: a user who has selected
  // nothing wants to see the busiest limiter.
  selected_name = shown.empty() || selected == 0 ? "" : shown[selected].name;
  page = std::max<std::size_t>(1, page);
  first = std::min(first, shown.size() > page ? shown.size() - page : 0);
  first = std::min(first, selected);
  if (selected >= first + page) first = selected - page + 1;
}

void WatchView::follow(const std::vector<LimiterRow>& shown, std::size_t page) {
  const auto found = std::ranges::find(shown, selected_name, &LimiterRow::name);
  const std::string kept = selected_name;
  const bool there = !kept.empty() && found != shown.end();
  select(there ? static_cast<std::size_t>(found - shown.begin()) : selected, shown, page);
  if (there) selected_name = kept;
}

WatchWish WatchView::press(const TerminalKey& key, const std::vector<LimiterRow>& shown,
                           std::size_t page) {
  if (key.kind == Kind::redraw) return WatchWish::redraw;
  switch (mode) {
    case WatchMode::table:
      return press_in_table(key, shown, page);
    case WatchMode::filter:
      press_in_filter(key);
      return WatchWish::nothing;
    case WatchMode::confirm_reset:
      return press_in_confirmation(key);
    case WatchMode::inspect:
    case WatchMode::help:
      return press_in_detail(key, page);
  }
  return WatchWish::nothing;
}

WatchWish WatchView::press_in_table(const TerminalKey& key, const std::vector<LimiterRow>& shown,
                                    std::size_t page) {
  const bool back = key.kind == Kind::up || key.kind == Kind::page_up;
  switch (key.kind) {
    case Kind::up:
    case Kind::down:
      select(back ? selected - std::min<std::size_t>(1, selected) : selected + 1, shown, page);
      break;
    case Kind::page_up:
    case Kind::page_down:
      select(back ? selected - std::min(page, selected) : selected + page, shown, page);
      break;
    case Kind::home:
      select(0, shown, page);
      break;
    case Kind::end:
      select(shown.size(), shown, page);
      break;
    case Kind::escape:
      filter.clear();
      break;
    case Kind::enter:
      return press_letter('i', shown);
    case Kind::text:
      if (key.text == "j" || key.text == "k")
        return press_in_table({key.text == "j" ? Kind::down : Kind::up, {}}, shown, page);
      return key.text.size() == 1 ? press_letter(key.text.front(), shown) : WatchWish::nothing;
    default:
      break;
  }
  return WatchWish::nothing;
}

void WatchView::order_by(WatchSort wanted) {
  // Choosing the same order again reverses it.
  reversed = sort == wanted && !reversed;
  sort = wanted;
}

WatchWish WatchView::press_letter(char letter, const std::vector<LimiterRow>& shown) {
  const bool on_row = selected < shown.size();
  switch (letter) {
    case 'q':
      return WatchWish::quit;
    case '?':
    case 'h':
      mode = WatchMode::help;
      detail_first = 0;
      break;
    case '/':
      mode = WatchMode::filter;
      break;
    case 'p':
    case ' ':
      paused = !paused;
      break;
    case 's':
      sort = static_cast<WatchSort>((static_cast<int>(sort) + 1) % kWatchSorts);
      reversed = false;
      break;
    case 'u':
      order_by(WatchSort::use);
      break;
    case 'a':
      order_by(WatchSort::allowed);
      break;
    case 'd':
      order_by(WatchSort::denied);
      break;
    case 'b':
      order_by(WatchSort::blocked);
      break;
    case 'n':
      order_by(WatchSort::name);
      break;
    case 'i':
    case 'r':
      if (!on_row) break;
      subject = shown[selected].name;
      detail_first = 0;
      mode = letter == 'i' ? WatchMode::inspect : WatchMode::confirm_reset;
      return letter == 'i' ? WatchWish::inspect : WatchWish::nothing;
    default:
      break;
  }
  return WatchWish::nothing;
}

void WatchView::press_in_filter(const TerminalKey& key) {
  switch (key.kind) {
    case Kind::text:
      filter += key.text;
      break;
    case Kind::backspace:
      while (!filter.empty() && (static_cast<unsigned char>(filter.back()) & 0xC0U) == 0x80U)
        filter.pop_back();
      if (!filter.empty()) filter.pop_back();
      break;
    case Kind::clear:
      filter.clear();
      break;
    case Kind::escape:
      filter.clear();
      [[fallthrough]];
    case Kind::enter:
      mode = WatchMode::table;
      break;
    default:
      break;
  }
}

// Only "y" or "Y" confirms.
WatchWish WatchView::press_in_confirmation(const TerminalKey& key) {
  mode = WatchMode::table;
  return key.text == "y" || key.text == "Y" ? WatchWish::reset : WatchWish::nothing;
}

WatchWish WatchView::press_in_detail(const TerminalKey& key, std::size_t page) {
  constexpr std::size_t kNoEnd = 1U << 30U;  // the drawing code limits it to the number of lines
  switch (key.kind) {
    case Kind::up:
    case Kind::down:
      step(detail_first, key.kind == Kind::up, 1, kNoEnd);
      break;
    case Kind::page_up:
    case Kind::page_down:
      step(detail_first, key.kind == Kind::page_up, page, kNoEnd);
      break;
    case Kind::home:
      detail_first = 0;
      break;
    case Kind::escape:
    case Kind::enter:
      mode = WatchMode::table;
      break;
    case Kind::text:
      if (key.text == "j" || key.text == "k")
        return press_in_detail({key.text == "j" ? Kind::down : Kind::up, {}}, page);
      if (key.text == "r" && mode == WatchMode::inspect) mode = WatchMode::confirm_reset;
      if (key.text == "q" || key.text == "?") mode = WatchMode::table;
      break;
    default:
      break;
  }
  return WatchWish::nothing;
}

}  // namespace rlctl
