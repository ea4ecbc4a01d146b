#include "inspect/watch/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "base/utf8.h"
#include "base/wrap.h"
#include "inspect/watch/words.h"

namespace rlctl {
namespace {

constexpr std::size_t kAround = 5;  // lines around the list of limiters: three above, two below
constexpr std::size_t kGap = 2;
constexpr double kNearlyFull = 0.8;
constexpr std::size_t kWidestState = 16;  // "STUCK: no expiry"
constexpr std::size_t kName = 12;         // of a limiter: enough to tell one from another
constexpr std::size_t kShortName = 8;
constexpr std::size_t kLeastUsed = 8;

// The width of each column; 0: there is no room for it.
struct Columns {
  std::size_t name = 0;
  std::size_t used = 0;
  std::size_t bar = 0;
  std::size_t allowed = 0;
  std::size_t denied = 0;
  std::size_t state = 0;
};

std::size_t widest(const std::vector<LimiterRow>& rows, std::size_t least,
                   std::string (*text)(const LimiterRow&)) {
  for (const LimiterRow& row : rows) least = std::max(least, display_width(text(row)));
  return least;
}

// Room that changes with the states is given only where there is not enough for all of them.
std::size_t room_for_state(const std::vector<LimiterRow>& shown, std::int64_t now_us,
                           std::size_t room) {
  if (room >= kWidestState + kGap + kName) return kWidestState;
  std::size_t widest = display_width("state");
  for (const LimiterRow& row : shown)
    widest = std::max(widest, display_width(state_cell(row, now_us)));
  return std::min(widest, kWidestState);
}

// On a narrow screen the least important columns go first: bar, then rates. The name and then the
// use are cut before the state goes. On a wide one the bar takes what is left.
Columns columns_for(const std::vector<LimiterRow>& shown, std::int64_t now_us, std::size_t width) {
  Columns columns;
  columns.used = widest(shown, 4, used_cell);
  const auto room = [&] { return width - std::min(width, columns.used + 2 * kGap); };
  const std::size_t state = room_for_state(shown, now_us, room());
  if (const std::size_t wanted = state + kGap + kShortName; room() < wanted)
    columns.used = std::max(std::min(columns.used, kLeastUsed),
                            columns.used - std::min(columns.used, wanted - room()));
  const std::size_t name =
      widest(shown, 12, [](const LimiterRow& row) { return escape_for_terminal(row.name); });
  std::size_t left = room();
  const auto claim = [&](std::size_t& column, std::size_t wanted, std::size_t for_name) {
    if (left < wanted + kGap + for_name) return;
    column = wanted;
    left -= wanted + kGap;
  };
  claim(columns.state, state, kShortName);
  claim(columns.allowed, 7, kName);
  claim(columns.denied, 6, 16);
  claim(columns.bar, 8, 18);
  columns.name = std::min(left, name);
  if (columns.bar > 0) columns.bar += left - columns.name;
  return columns;
}

Look look_of_use(const LimiterRow& row) {
  if (!row.used || !row.limit || *row.limit <= 0) return Look::normal;
  const double share = *row.used / *row.limit;
  if (row.guess) return share >= kNearlyFull ? Look::warning : Look::normal;
  return row.is_full() ? Look::bad : share >= kNearlyFull ? Look::warning : Look::good;
}

// A thin line, so that the bars of neighbouring rows stay apart.
std::string filled_bar(double share, std::size_t width, bool unicode) {
  const double most = static_cast<double>(width);
  if (!unicode) return std::string(static_cast<std::size_t>(std::floor(share * most)), '#');
  const auto halves = static_cast<std::size_t>(std::floor(share * most * 2));
  std::string bar;
  for (std::size_t i = 0; i < halves / 2; ++i) bar += "━";
  return halves % 2 == 0 ? bar : bar + "╸";
}

void add_bar(ScreenLine& line, const LimiterRow& row, double most, std::size_t width,
             bool unicode) {
  const double whole = row.limit ? *row.limit : most;
  const std::size_t end = line.width() + width;
  if (row.used && whole > 0)
    line.add(filled_bar(std::clamp(*row.used / whole, 0.0, 1.0), width, unicode),
             row.limit ? look_of_use(row) : Look::dim);
  std::string rest;
  while (line.width() + display_width(rest) < end) rest += unicode ? "─" : ".";
  line.add(rest, Look::dim);
}

void add_right(ScreenLine& line, const std::string& text, std::size_t width,
               Look look = Look::normal) {
  if (width == 0) return;
  line.fill_to(line.width() + kGap);
  line.add(pad_left(text, width), look);
}

void add_gap(ScreenLine& line) { line.add(std::string(kGap, ' ')); }

Look look_of_rate(std::optional<double> rate, Look busy) {
  return rate.value_or(0) > 0 ? busy : Look::dim;
}

// A guess is never an alarm: no denials, and no state.
Look look_of_denials(bool guess) { return guess ? Look::warning : Look::bad; }

Look look_of_state(const LimiterRow& row, std::int64_t now_us) {
  const RowState state = row.state_at(now_us);
  if (state == RowState::fine) return Look::normal;
  if (state == RowState::blocked) return Look::alarm;
  if (state == RowState::unreadable || row.guess || row.is_perhaps_blocked()) return Look::warning;
  return state == RowState::full ? Look::bad : Look::alarm;
}

// What all rows share when they are drawn.
struct Drawing {
  const WatchScreen& screen;
  ScreenSize size;
  ScreenStyle style;
  Columns columns;
  double most = 0;  // the highest use of any limiter
  PartsOfKinds shared;
};

std::string row_text(const LimiterRow& row, bool selected, const Drawing& drawing) {
  const auto& [screen, size, style, columns, most, shared] = drawing;
  ScreenLine line;
  const std::int64_t now_us = screen.status.now_us;
  const bool blocked = row.is_blocked_at(now_us);
  const auto parts = shared.find(kind_of_name(row.name));
  const std::string name =
      short_name(row.name, columns.name, parts == shared.end() ? SharedParts() : parts->second);
  line.add(selected ? "> " : "  ", Look::strong);
  line.add(name, selected ? Look::chosen : blocked ? Look::alarm : Look::normal);
  line.fill_to(columns.name + 2);
  add_right(line, cut_to_width(used_cell(row), columns.used), columns.used, look_of_use(row));
  if (columns.bar > 0) {
    add_gap(line);
    add_bar(line, row, most, columns.bar, style.unicode);
  }
  add_right(line, rate_cell(row.allowed_per_s, row.guess), columns.allowed,
            look_of_rate(row.allowed_per_s, Look::normal));
  add_right(line, rate_cell(row.denied_per_s, row.guess), columns.denied,
            look_of_rate(row.denied_per_s, look_of_denials(row.guess)));
  if (columns.state > 0) {
    add_gap(line);
    line.add(state_cell(row, now_us), look_of_state(row, now_us));
  }
  return line.text(size.columns, style.paint);
}

std::string header_text(const Columns& columns, const WatchScreen& screen, ScreenSize size,
                        ScreenStyle style) {
  const bool limited = !screen.rows.empty() && screen.rows.front().limit;
  ScreenLine line;
  line.add("  ").add(pad_right("limiter", columns.name), Look::dim);
  add_right(line, "used", columns.used, Look::dim);
  if (columns.bar > 0) {
    add_gap(line);
    line.add(pad_right(limited ? "of limit" : "of max", columns.bar), Look::dim);
  }
  add_right(line, "allow/s", columns.allowed, Look::dim);
  add_right(line, "deny/s", columns.denied, Look::dim);
  if (columns.state > 0) {
    add_gap(line);
    line.add("state", Look::dim);
  }
  return line.text(size.columns, style.paint);
}

// The left part, and the right part at the right edge if there is room for both.
std::string two_sides(ScreenLine left, const std::string& right, Look look, ScreenSize size,
                      ScreenStyle style) {
  if (left.width() + kGap + display_width(right) <= size.columns)
    left.fill_to(size.columns - display_width(right)).add(right, look);
  return left.text(size.columns, style.paint);
}

std::string title_text(const WatchScreen& screen, ScreenSize size, ScreenStyle style) {
  const WatchStatus& status = screen.status;
  ScreenLine line;
  line.add("rlctl watch", Look::strong).add("  " + status.server);
  if (!status.policy.empty()) line.add("  " + status.policy, Look::strong);
  if (status.pattern != "*") line.add("  " + escape_for_terminal(status.pattern));
  const std::string time = format_instant(status.now_us).substr(11, 8) + " UTC";
  return two_sides(line, time, Look::normal, size, style);
}

std::string pass_in_words(const WatchStatus& status) {
  if (status.passes > 0 && status.keys < 100'000) return {};
  return fmt::format("{} scan {:.0f} %{}", status.passes > 0 ? "next" : "first",
                     std::floor(status.pass * 100),
                     status.keys >= 0 ? " of " + format_count(status.keys) + " keys" : "");
}

std::string summary_text(const WatchScreen& screen, ScreenSize size, ScreenStyle style) {
  const WatchStatus& status = screen.status;
  ScreenLine line;
  if (screen.view.paused) line.add("PAUSED", Look::alarm).add("  ");
  line.add(counted(status.limiters, "limiter"));
  const RowCounts& counts = screen.counts;
  if (counts.blocked > 0)
    line.add("  ").add(format_count(counts.blocked) + " blocked", Look::alarm);
  if (counts.full > 0) line.add("  ").add(format_count(counts.full) + " full", Look::bad);
  if (counts.perhaps_blocked > 0)
    line.add("  ").add(format_count(counts.perhaps_blocked) + " blocked?", Look::warning);
  if (counts.perhaps_full > 0)
    line.add("  ").add(format_count(counts.perhaps_full) + " full?", Look::warning);
  if (!screen.rates_complete && screen.allowed_per_s <= 0)
    line.add("  rates not known yet", Look::dim);
  else
    line.add("  ")
        .add(screen.rates_complete ? "" : "≥ ")
        .add(rate_cell(screen.allowed_per_s, screen.allowed_is_guess) + "/s allowed");
  if (screen.denied_per_s > 0)
    line.add("  ").add(rate_cell(screen.denied_per_s, screen.denied_is_guess) + "/s denied",
                       look_of_denials(screen.denied_is_guess));
  std::string right = pass_in_words(status);
  if (right.empty())
    right =
        fmt::format("by {}{}", name_of(screen.view.sort), screen.view.reversed ? ", reversed" : "");
  return two_sides(line, right, Look::dim, size, style);
}

std::string message_text(const WatchScreen& screen, ScreenSize size, ScreenStyle style) {
  const WatchView& view = screen.view;
  ScreenLine line;
  if (view.mode == WatchMode::confirm_reset) {
    // The answer keys must stay visible: if room is short, the end of the question is cut.
    const std::string end = " [y/N]";
    const std::size_t room = size.columns > end.size() ? size.columns - end.size() : 0;
    line.add(cut_to_width(screen.question, room) + end, Look::alarm);
  } else if (view.mode == WatchMode::filter) {
    line.add("filter: ", Look::strong).add(escape_for_terminal(view.filter)).add("_", Look::strong);
  } else if (!screen.status.trouble.empty()) {
    line.add(screen.status.trouble, Look::alarm);
  } else if (!screen.message.empty()) {
    line.add(screen.message, Look::strong);
  } else if (!view.filter.empty()) {
    line.add(fmt::format("{} of {} with ",
                         format_count(static_cast<std::int64_t>(screen.rows.size())),
                         format_count(screen.status.limiters)))
        .add(escape_for_terminal(view.filter), Look::strong)
        .add("; Esc shows all", Look::dim);
  } else if (screen.status.forgotten > 0) {
    line.add("only the most used limiters are kept: use a narrower pattern to see others",
             Look::dim);
  }
  return line.text(size.columns, style.paint);
}

std::string keys_text(const WatchScreen& screen, ScreenSize size, ScreenStyle style) {
  const std::vector<std::pair<const char*, const char*>> in_table = {
      {"?", "help"},
      {"q", "quit"},
      {"s", "sort"},
      {"/", "filter"},
      {"Enter", "inspect"},
      {"r", "reset"},
      {"p", screen.view.paused ? "resume" : "pause"}};
  const std::vector<std::pair<const char*, const char*>> in_detail = {
      {"Esc", "back"}, {"j k", "scroll"}, {"r", "reset"}};
  const std::vector<std::pair<const char*, const char*>> in_filter = {{"Enter", "keep"},
                                                                      {"Esc", "show all"}};
  const std::vector<std::pair<const char*, const char*>> in_question = {{"y", "yes, remove"},
                                                                        {"any other key", "no"}};
  const std::vector<std::pair<const char*, const char*>> in_help = {{"Esc", "back"},
                                                                    {"j k", "scroll"}};
  const WatchMode mode = screen.view.mode;
  const auto& keys = mode == WatchMode::table           ? in_table
                     : mode == WatchMode::filter        ? in_filter
                     : mode == WatchMode::confirm_reset ? in_question
                     : mode == WatchMode::help          ? in_help
                                                        : in_detail;
  const std::string load = load_in_words(screen.status);
  const std::size_t room = size.columns > display_width(load) + kGap
                               ? size.columns - display_width(load) - kGap
                               : size.columns;
  ScreenLine line;
  for (const auto& [key, what] : keys) {
    const std::size_t needed = display_width(key) + display_width(what) + 1 + kGap;
    if (line.width() + needed > room + kGap) break;
    if (line.width() > 0) add_gap(line);
    line.add(key, Look::strong).add(" ").add(what, Look::dim);
  }
  return two_sides(line, load, Look::dim, size, style);
}

std::vector<std::string> table_lines(const WatchScreen& screen, ScreenSize size,
                                     ScreenStyle style) {
  const std::size_t page = watch_page(size);
  const std::size_t first = std::min(screen.view.first, screen.rows.size());
  const std::size_t last = std::min(screen.rows.size(), first + page);
  const std::vector<LimiterRow> shown(screen.rows.begin() + static_cast<std::ptrdiff_t>(first),
                                      screen.rows.begin() + static_cast<std::ptrdiff_t>(last));
  Drawing drawing{screen, size,
                  style,  columns_for(shown, screen.status.now_us, size.columns),
                  0,      shared_parts(shown)};
  for (const LimiterRow& row : screen.rows)
    drawing.most = std::max(drawing.most, row.used.value_or(0));
  std::vector<std::string> lines{header_text(drawing.columns, screen, size, style)};
  for (std::size_t i = 0; i < shown.size(); ++i)
    lines.push_back(row_text(shown[i], first + i == screen.view.selected, drawing));
  if (!shown.empty()) return lines;
  ScreenLine none;
  if (screen.status.passes == 0)
    none.add("  looking for limiters …", Look::dim);
  else if (screen.view.filter.empty())
    none.add("  no limiters: no key that counts requests matches this pattern", Look::dim);
  else
    none.add("  no limiter name contains the filter text", Look::dim);
  lines.push_back(none.text(size.columns, style.paint));
  return lines;
}

std::vector<std::string> detail_lines(const WatchScreen& screen, ScreenSize size,
                                      ScreenStyle style) {
  const bool help = screen.view.mode == WatchMode::help;
  const std::vector<std::string> all = help ? watch_help(size.columns) : screen.detail;
  ScreenLine title;
  title.add(help ? "keys" : "inspect", Look::strong);
  if (!help) title.add("  " + short_name(screen.view.subject, size.columns));
  std::vector<std::string> lines{title.text(size.columns, style.paint)};
  const std::size_t page = watch_page(size);
  const std::size_t end = all.size() > page ? all.size() - page : 0;
  for (std::size_t i = std::min(screen.view.detail_first, end);
       i < all.size() && lines.size() <= page; ++i)
    lines.push_back(ScreenLine().add(all[i]).text(size.columns, style.paint));
  return lines;
}

}  // namespace

std::size_t watch_page(ScreenSize size) { return size.rows > kAround ? size.rows - kAround : 1; }

std::vector<std::string> watch_frame(const WatchScreen& screen, ScreenSize size,
                                     ScreenStyle style) {
  const WatchMode mode = screen.view.mode;
  const bool detail = mode == WatchMode::inspect || mode == WatchMode::help ||
                      (mode == WatchMode::confirm_reset && !screen.detail.empty());
  std::vector<std::string> lines{title_text(screen, size, style),
                                 summary_text(screen, size, style)};
  for (std::string& line :
       detail ? detail_lines(screen, size, style) : table_lines(screen, size, style))
    lines.push_back(std::move(line));
  lines.resize(size.rows > 2 ? size.rows - 2 : 0);
  lines.push_back(message_text(screen, size, style));
  lines.push_back(keys_text(screen, size, style));
  if (lines.size() > size.rows)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(size.rows));
  return lines;
}

std::vector<std::string> watch_help(std::size_t columns) {
  return wrapped(
      "  u a d b n  sort by use, allowed/s, denied/s, blocked, name; again: reverse\n"
      "  s          next sort order\n"
      "  /          show only names that contain a text; Esc shows all again\n"
      "  Up Down    choose a limiter (j k, PgUp PgDn, Home End)\n"
      "  Enter, i   inspect the limiter: its keys, entries, memory, block flag\n"
      "  r          reset the limiter: asks, then removes its keys and block flag\n"
      "  p, Space   pause: sends nothing to the server until you resume\n"
      "  Ctrl-L     redraw the screen\n"
      "  q, Ctrl-C  quit\n"
      "\n"
      "  used       of the limit if you give --limit and --window; else of the maximum\n"
      "  = 7        a number that may be anything; --limit and --window compare it\n"
      "  ?          a guess: a number may count requests, or something else\n"
      "  allow/s    mean over 5 s, a lower bound: the end of a window hides some\n"
      "  deny/s     known only if the counter counts above the limit; else -\n"
      "  STUCK      without expiry it is never reset; a flag blocks for ever\n"
      "  no expiry  of a number that may be anything: it is never reset if it counts\n"
      "  load       share of server time, by its own clock; --load sets the maximum",
      columns);
}

}  // namespace rlctl
