#include "inspect/watch/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/wrap.h"
#include "inspect/inspection_text.h"
#include "io/clock.h"

namespace rlctl {
namespace {

constexpr std::int64_t kTickUs = 50'000;
constexpr std::int64_t kNewsUs = 250'000;       // more frames would show nothing more
constexpr std::int64_t kEscapeUs = 100'000;     // an escape sequence is faster, also over ssh
constexpr std::int64_t kMessageUs = 8'000'000;  // long enough to be read
constexpr std::int64_t kInspectUs = 1'000'000;
constexpr std::int64_t kEntries = 50;

}  // namespace

WatchSession::WatchSession(Loop& loop, Deployment& redis, const WatchPlan& plan, ScreenStyle style)
    : loop_(loop), feed_(loop, redis, plan), style_(style) {}

bool WatchSession::play() {
  loop_.run(feed_.connect());
  terminal_ = std::make_unique<Terminal>(
      loop_, [this](std::string_view bytes) { typed(bytes); },
      [this] {
        update_.forget();
        changed_ = true;
      });
  loop_.watch_signals();
  loop_.spawn(feed_.go_on([this] { return shown_names(); }));
  loop_.spawn(inspect_again_and_again());
  loop_.run(until_quit());
  terminal_.reset();
  return !loop_.interrupted();
}

Task<> WatchSession::until_quit() {
  while (!ended_ && !loop_.interrupted()) {
    const std::int64_t now = now_us();
    if (now > typed_us_ + kEscapeUs)
      for (const TerminalKey& key : keys_.settle()) press(key);
    if (!screen_.message.empty() && now > message_us_ + kMessageUs) {
      screen_.message.clear();
      changed_ = true;
    }
    const std::int64_t second = now / 1'000'000;
    const bool turned = !view_.paused && second != drawn_second_;  // countdowns
    const bool news = !view_.paused && version_ != feed_.version() && now > drawn_us_ + kNewsUs;
    if (changed_ || turned || news) draw();
    drawn_second_ = second;
    co_await loop_.until(now_us() + kTickUs);
  }
}

ScreenSize WatchSession::size() const {
  const Terminal::Size size = terminal_->size();
  return {size.columns, size.rows};
}

void WatchSession::arrange() {
  const std::vector<LimiterRow> all = feed_.rows();
  screen_.status = feed_.status();
  const std::int64_t now = screen_.status.now_us;
  screen_.counts = count_rows(all, now);
  screen_.status.limiters = screen_.counts.limiters;
  screen_.allowed_per_s = screen_.denied_per_s = 0;
  screen_.allowed_is_guess = screen_.denied_is_guess = false;
  screen_.rates_complete = screen_.status.passes > 0;
  for (const LimiterRow& row : all) {
    screen_.allowed_per_s += row.allowed_per_s.value_or(0);
    screen_.denied_per_s += row.denied_per_s.value_or(0);
    screen_.allowed_is_guess |= row.guess && row.allowed_per_s.value_or(0) > 0;
    screen_.denied_is_guess |= row.guess && row.denied_per_s.value_or(0) > 0;
    screen_.rates_complete &= row.allowed_per_s || !row.used;
  }
  screen_.rows = view_.arrange(all, now);
}

void WatchSession::draw() {
  const ScreenSize size = this->size();
  const std::size_t page = watch_page(size);
  // While it is paused, the data of the rows does not change.
  if (!view_.paused || screen_.status.now_us == 0) arrange();
  view_.follow(screen_.rows, page);
  const std::size_t lines =
      view_.mode == WatchMode::help ? watch_help(size.columns).size() : screen_.detail.size();
  view_.detail_first = std::min(view_.detail_first, lines > page ? lines - page : 0);
  const std::string bytes = update_.to(watch_frame(screen_, size, style_));
  if (!bytes.empty()) terminal_->write(bytes);
  version_ = feed_.version();
  drawn_us_ = now_us();
  changed_ = false;
}

std::vector<std::string> WatchSession::shown_names() const {
  std::vector<std::string> names;
  const std::size_t page = watch_page(size());
  for (std::size_t i = view_.first; i < screen_.rows.size() && names.size() < page; ++i)
    names.push_back(screen_.rows[i].name);
  return names;
}

void WatchSession::typed(std::string_view bytes) {
  if (bytes.empty()) ended_ = true;  // the terminal hung up
  typed_us_ = now_us();
  for (const TerminalKey& key : keys_.take(bytes)) {
    const bool asked = view_.mode == WatchMode::confirm_reset;
    press(key);
    // Keys that were typed ahead or pasted can't answer a question that was not yet shown.
    if (!asked && view_.mode == WatchMode::confirm_reset) break;
  }
  if (!ended_) draw();
}

void WatchSession::press(const TerminalKey& key) {
  const WatchMode before = view_.mode;
  const bool paused = view_.paused;
  obey(view_.press(key, screen_.rows, watch_page(size())));
  if (view_.paused && !paused) arrange();
  feed_.pause(view_.paused);
  if (view_.paused) screen_.rows = view_.arrange(feed_.rows(), screen_.status.now_us);
  if (view_.mode == WatchMode::confirm_reset && before != WatchMode::confirm_reset)
    loop_.spawn(ask_before_reset(view_.subject));
  if (view_.mode == WatchMode::table) screen_.detail.clear();
  changed_ = true;
}

void WatchSession::obey(WatchWish wish) {
  switch (wish) {
    case WatchWish::quit:
      ended_ = true;
      break;
    case WatchWish::redraw:
      update_.forget();
      break;
    case WatchWish::reset:
      loop_.spawn(reset(std::exchange(doomed_, {})));
      break;
    case WatchWish::inspect:
      screen_.detail = {"  …"};
      break;
    case WatchWish::nothing:
      break;
  }
}

Task<> WatchSession::inspect_again_and_again() {
  std::string inspected;
  std::int64_t next_us = 0;
  while (true) {
    co_await loop_.until(now_us() + kTickUs);
    if (view_.mode != WatchMode::inspect) next_us = 0;
    if (view_.mode != WatchMode::inspect || now_us() < next_us) continue;
    if (view_.paused && next_us > 0) continue;
    inspected = view_.subject;
    std::string text;
    try {
      const Inspection inspection = co_await feed_.inspect(inspected, kEntries);
      text = to_text(inspection, {feed_.policy(), kEntries}, false);
      if (inspection.keys.empty() && !inspection.block.is_set)
        text = "  its keys are gone: they have expired or were removed\n";
    } catch (const Error& error) {
      text = std::string("  ") + error.what() + "\n";
    }
    next_us = now_us() + kInspectUs;
    if (view_.mode != WatchMode::inspect || view_.subject != inspected) continue;
    screen_.detail = wrapped(text, size().columns);
    changed_ = true;
  }
}

Task<> WatchSession::ask_before_reset(std::string name) {
  doomed_.clear();
  const std::size_t room = 40;
  screen_.question = "reset " + in_quotes(name, room) + "?";
  std::string problem;
  std::vector<std::string> keys;
  try {
    keys = co_await feed_.keys_of(name);
    if (keys.empty()) problem = "nothing to reset: its keys are gone";
  } catch (const Error& error) {
    problem = error.what();
  }
  if (view_.mode != WatchMode::confirm_reset || view_.subject != name) co_return;
  if (!problem.empty()) {
    view_.mode = WatchMode::table;
    screen_.message = problem;
    message_us_ = now_us();
  }
  screen_.question = fmt::format("remove {} of {}?",
                                 keys.size() == 1 ? "the key" : fmt::format("{} keys", keys.size()),
                                 in_quotes(name, room));
  doomed_ = std::move(keys);
  changed_ = true;
}

Task<> WatchSession::reset(std::vector<std::string> keys) {
  const std::string name = view_.subject;
  try {
    const std::string words = co_await feed_.remove(std::move(keys));
    screen_.message = in_quotes(name) + ": " + words;
  } catch (const Error& error) {
    screen_.message = error.what();
  }
  message_us_ = now_us();
  changed_ = true;
}

}  // namespace rlctl
