#include "io/loop.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <new>

#include "io/clock.h"

namespace rlctl {
namespace {

// EVLOOP_NONBLOCK alone continues while anything is ready. With a fast peer that is for ever, and
// the flushes of the pass would never run.
constexpr int kOnePoll = EVLOOP_ONCE | EVLOOP_NONBLOCK;

constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

// timeout(1) signals its child and then its process group: two signals, one wish.
constexpr std::int64_t kSamePressUs = 50'000;

// All that a signal's handler can reach, in any thread.
std::array<struct sigaction, kEndingSignals.size()> handlers_before;
std::atomic<bool> signalled = false;
std::atomic<std::int64_t> first_signal_us = 0;
std::atomic<int> wake_descriptor = -1;

void restore_handlers() {
  for (std::size_t i = 0; i < kEndingSignals.size(); ++i)
    sigaction(kEndingSignals[i], &handlers_before[i], nullptr);
}

// Async-signal-safe. Not libevent's handlers, which only tell the loop: while a script or a long
// computation keeps the loop from its events, a second signal must still end the process.
void on_ending_signal(int number) {
  const int error = errno;
  if (!signalled.exchange(true)) {
    first_signal_us = now_us();
    eventfd_write(wake_descriptor, 1);
  } else if (now_us() - first_signal_us > kSamePressUs) {
    signal(number, SIG_DFL);  // also of a background job, which began with ignored signals
    raise(number);
  }
  errno = error;
}

}  // namespace

Loop::Loop(Timers timers) {
  event_config* config = event_config_new();
  if (config == nullptr) throw std::bad_alloc();
  // The changes to one descriptor between two waits become at most one epoll_ctl.
  int flags = EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST;
  if (timers == Timers::precise) flags |= EVENT_BASE_FLAG_PRECISE_TIMER;
  event_config_set_flag(config, flags);
  base_ = event_base_new_with_config(config);
  event_config_free(config);
  if (base_ == nullptr) throw std::bad_alloc();
  // It would write its own lines to standard error. What fails there is told by who waits for it.
  event_set_log_callback([](int, const char*) {});
  counter_ = count_ended();
  counter_.start();
}

Loop::~Loop() {
  tasks_.clear();
  stop_watching_signals();
  event_base_free(base_);
}

// One for all tasks, and not one for each: there may be 100,000 of them.
Task<> Loop::count_ended() {
  struct Next {
    Loop& loop;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> counter) const noexcept { loop.at_end_ = counter; }
    void await_resume() const noexcept {}
  };
  for (;; ++ended_) co_await Next{*this};
}

void Loop::spawn(Task<> task) {
  tasks_.push_back(std::move(task));
  // The task may spawn others and so move the vector: after that, start() uses only the coroutine
  // frame.
  tasks_.back().start(at_end_);
}

Task<> Loop::join() {
  struct Wait {
    Loop& loop;
    bool await_ready() const noexcept { return loop.tasks_.empty(); }
    void await_suspend(std::coroutine_handle<> awaiting) noexcept { loop.joiner_ = awaiting; }
    void await_resume() const noexcept {}
  };
  reap();
  co_await Wait{*this};
  reap();
}

void Loop::reap() {
  auto ended = std::stable_partition(tasks_.begin(), tasks_.end(),
                                     [](const Task<>& task) { return !task.done(); });
  std::vector<Task<>> done(std::make_move_iterator(ended), std::make_move_iterator(tasks_.end()));
  tasks_.erase(ended, tasks_.end());
  ended_ = 0;
  for (Task<>& task : done) task.result();
}

void Loop::pass() {
  const std::uint64_t before = resumed_;
  flush_all();
  if (resumed_ != before || !wanted_.empty()) {
    // A flush may have met a dead peer, or have to flush others (run/lockstep.h). A resumed
    // coroutine may be the one that this loop runs for, so do not wait here.
    event_base_loop(base_, kOnePoll);
  } else if (spin_us_ > 0) {
    spin();
  } else {
    event_base_loop(base_, EVLOOP_ONCE);
  }
  flush_all();
  // The joiner gets the tasks' exceptions, so that it alone decides what to do with them.
  if (joiner_ && ended_ == tasks_.size()) std::exchange(joiner_, nullptr).resume();
}

void Loop::spin() {
  const std::uint64_t before = resumed_;
  const std::int64_t until_us = now_us() + spin_us_;
  while (resumed_ == before && now_us() < until_us) event_base_loop(base_, kOnePoll);
  if (resumed_ == before) event_base_loop(base_, EVLOOP_ONCE);
}

void Loop::want_flush(Flushable& flushable) {
  if (flushable.flush_wanted_) return;
  flushable.flush_wanted_ = true;
  wanted_.push_back(&flushable);
}

void Loop::forget(Flushable& flushable) {
  flushable.flush_wanted_ = false;
  std::replace(wanted_.begin(), wanted_.end(), &flushable, static_cast<Flushable*>(nullptr));
  std::replace(flushing_.begin(), flushing_.end(), &flushable, static_cast<Flushable*>(nullptr));
}

void Loop::flush_all() {
  flushing_.swap(wanted_);
  // By index: a flush that finds its peer gone resumes coroutines, which may forget other
  // flushables. New flush requests wait for the next pass; otherwise an endless retry would block
  // timers and signals.
  for (std::size_t i = 0; i < flushing_.size(); ++i) {
    Flushable* flushable = flushing_[i];
    if (flushable == nullptr) continue;
    flushable->flush_wanted_ = false;
    flushable->flush();
  }
  flushing_.clear();
}

bool Loop::Sleep::await_ready() const noexcept { return at_us_ <= now_us(); }

void Loop::Sleep::await_suspend(std::coroutine_handle<> awaiting) {
  waiter_ = awaiting;
  auto wake = [](evutil_socket_t, short, void* self) { static_cast<Sleep*>(self)->wake(); };
  timer_ = event_new(loop_.base(), -1, 0, wake, this);
  if (timer_ == nullptr) throw std::bad_alloc();
  arm();
}

void Loop::Sleep::arm() {
  const std::int64_t wait_us = std::max<std::int64_t>(0, at_us_ - now_us());
  const timeval wait = to_timeval(wait_us);
  event_add(timer_, &wait);
}

void Loop::Sleep::wake() {
  // libevent counts from the clock value that it cached for this pass, which may be late: never
  // wake early.
  if (now_us() < at_us_) return arm();
  loop_.resume(waiter_);
}

Loop::Sleep::~Sleep() { free_event(timer_); }

void Loop::watch_signals() {
  signalled = false;
  wake_descriptor = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  auto wake = [](evutil_socket_t descriptor, short, void*) {
    eventfd_t count = 0;
    eventfd_read(descriptor, &count);
  };
  signal_event_ = event_new(base_, wake_descriptor, EV_READ | EV_PERSIST, wake, nullptr);
  if (signal_event_ == nullptr) throw std::bad_alloc();
  event_add(signal_event_, nullptr);
  struct sigaction watching {};
  watching.sa_handler = on_ending_signal;
  watching.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kEndingSignals.size(); ++i) {
    sigaction(kEndingSignals[i], &watching, &handlers_before[i]);
    const bool stays = kEndingSignals[i] == SIGHUP && handlers_before[i].sa_handler == SIG_IGN;
    if (stays) sigaction(SIGHUP, &handlers_before[i], nullptr);  // nohup
  }
}

void Loop::stop_watching_signals() {
  if (signal_event_ == nullptr) return;
  if (!interrupted()) restore_handlers();
  free_event(signal_event_);
  ::close(wake_descriptor);
  wake_descriptor = -1;
}

bool Loop::interrupted() const {
  return (signal_event_ != nullptr || follows_signals_) && signalled;
}

Ticker::Ticker(Loop& loop, std::int64_t interval_us, std::function<void()> tick)
    : tick_(std::move(tick)) {
  auto call = [](evutil_socket_t, short, void* self) { static_cast<Ticker*>(self)->tick_(); };
  timer_ = event_new(loop.base(), -1, EV_PERSIST, call, this);
  if (timer_ == nullptr) throw std::bad_alloc();
  const timeval interval = to_timeval(interval_us);
  event_add(timer_, &interval);
}

Ticker::~Ticker() { event_free(timer_); }

void free_event(event*& owned) {
  if (owned != nullptr) event_free(owned);
  owned = nullptr;
}

}  // namespace rlctl
