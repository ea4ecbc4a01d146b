#include "cli/output/progress.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "base/escape.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cli/output/output.h"
#include "io/clock.h"
#include "run/scenario_run.h"

namespace rlctl {
namespace {

constexpr std::int64_t kIntervalUs = 200'000;
constexpr std::string_view kWipe = "\r\x1b[K";

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

// A background job must not write to the terminal.
bool in_foreground() {
  const pid_t foreground = tcgetpgrp(STDERR_FILENO);
  return foreground < 0 || foreground == getpgrp();
}

// Async-signal-safe. Removes the line, then the signal has its default effect.
void wipe_and_end(int signal) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWipe.data(), kWipe.size());
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  sigaction(signal, &by_default, nullptr);
  raise(signal);
}

// Without a loop nothing else handles signals. An ignored signal stays ignored (nohup).
void wipe_at(int signal) {
  struct sigaction before {};
  sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_DFL) return;
  struct sigaction wiping {};
  wiping.sa_handler = wipe_and_end;
  sigaction(signal, &wiping, nullptr);
}

void back_to_default(int signal) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  if (now.sa_handler != wipe_and_end) return;
  now.sa_handler = SIG_DFL;
  sigaction(signal, &now, nullptr);
}

}  // namespace

std::string_view progress_wipe() {
  return stdout_is_terminal() && stderr_is_terminal() ? kWipe : std::string_view();
}

Progress::Progress(Loop& loop, bool wanted, std::function<std::string()> line)
    : shown_(wanted && stderr_is_terminal()) {
  if (!shown_) return;
  ticker_.emplace(loop, kIntervalUs, [this, &loop, line = std::move(line)] {
    // A second Ctrl-C ends the process at once, so the first one removes the line.
    loop.interrupted() ? wipe() : draw(line());
  });
}

Progress::Progress(Loop& loop, bool wanted, std::function<Work()> work)
    : Progress(loop, wanted, [this, work = std::move(work)] { return line_of(work()); }) {}

Progress::Progress(bool wanted) : shown_(wanted && stderr_is_terminal()) {
  if (!shown_) return;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) wipe_at(signal);
}

Progress::~Progress() {
  wipe();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) back_to_default(signal);
}

// What all that is done would have taken at the rate since the current `what` began; 0: not known.
std::int64_t Progress::time_at_this_rate_us(const Work& work) const {
  const std::int64_t elapsed_us = now_us() - what_began_us_, done = work.done - done_before_;
  if (elapsed_us < kSecondUs || done <= 0) return 0;
  return std::llround(static_cast<double>(elapsed_us) * static_cast<double>(work.done) /
                      static_cast<double>(done));
}

std::string Progress::line_of(const Work& work) {
  if (work.what != what_ || what_began_us_ == 0) {
    what_ = work.what;
    what_began_us_ = now_us();
    done_before_ = work.done;
  }
  return work_in_words(work, time_at_this_rate_us(work));
}

void Progress::show(const Work& work) {
  if (!shown_) return;
  const std::int64_t now = now_us();
  const std::string line = work.what != what_ ? line_of(work) : std::string();
  if (drawn_us_ == 0) drawn_us_ = now;  // short work shows no line
  if (now < drawn_us_ + kIntervalUs) return;
  drawn_us_ = now;
  draw(line.empty() ? line_of(work) : line);
}

WorkWatcher Progress::watcher() {
  if (!shown_) return {};
  return [this](const Work& work) { show(work); };
}

void Progress::draw(const std::string& line) {
  if (!in_foreground()) return;
  const std::string shown = cut_to_width(line, terminal_columns() - 1);
  std::fprintf(stderr, "\r%s\x1b[K", shown.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::wipe() {
  if (!drawn_) return;
  std::fwrite(kWipe.data(), 1, kWipe.size(), stderr);
  std::fflush(stderr);
  drawn_ = false;
}

namespace {

// How long the next retry is due after the planned end.
std::int64_t beyond_plan_us(const ScenarioProgress& progress) {
  const std::int64_t wait_us = progress.waiting.next_us - now_us();
  return wait_us + (progress.planned_us > 0 ? progress.played_us - progress.planned_us : 0);
}

bool waits_long(const ScenarioProgress& progress) {
  constexpr std::int64_t kLongUs = 10'000'000;
  return progress.waiting.count > 0 && beyond_plan_us(progress) >= kLongUs;
}

std::string waiting_in_words(const ScenarioProgress& progress) {
  const WaitingRetries& waiting = progress.waiting;
  const std::int64_t wait_us = std::max<std::int64_t>(0, waiting.next_us - now_us());
  return escape_for_terminal(progress.phase) + ": " +
         counted(waiting.count, "request waits", "requests wait") +
         (waiting.told ? " for Retry-After" : " to be sent again") + ", the next one for " +
         format_duration_for_people(wait_us);
}

std::string playing_in_words(const ScenarioProgress& progress, std::int64_t elapsed_us) {
  const std::string decisions = format_count(progress.decisions) + " decisions";
  const std::string phase = escape_for_terminal(progress.phase);
  // Without a plan, short waits are a part of it.
  if (waits_long(progress) || (progress.planned_us > 0 && progress.waiting.count > 0))
    return waiting_in_words(progress) + ", " + decisions;
  if (progress.planned_us == 0) {
    const Work work{phase, "decisions", progress.decisions};
    return work_in_words(work, elapsed_us);
  }
  const Work work{phase,
                  {},
                  std::max<std::int64_t>(0, progress.played_us),
                  progress.planned_us,
                  Work::Unit::time_us};
  return work_in_words(work, elapsed_us) + ", " + decisions;
}

}  // namespace

ScenarioLine::ScenarioLine(Loop& loop, bool wanted, const ScenarioProgress& progress,
                           std::string before)
    : progress_(progress),
      before_(std::move(before)),
      began_us_(now_us()),
      line_(loop, wanted, std::function([this] { return line(); })) {
  if (wanted && !stderr_is_terminal())
    teller_.emplace(loop, kIntervalUs, [this] { tell_long_wait(); });
}

std::string ScenarioLine::line() const {
  return before_ + playing_in_words(progress_, now_us() - began_us_);
}

void ScenarioLine::tell_long_wait() {
  if (told_ || !waits_long(progress_)) return;
  told_ = true;
  tell(before_ + waiting_in_words(progress_) + "; Ctrl-C ends the run");
}

}  // namespace rlctl
