// ExchangeDeadline: one timer for all exchanges of an HttpClient. All have the same time-out, so
// the oldest expires first. The timer is not changed when others finish: if it fires for one that
// has finished, the client sets it for the next one. Borrows the loop. One thread.
#pragma once

#include <event2/event.h>

#include <algorithm>
#include <functional>
#include <new>

#include "io/clock.h"
#include "io/loop.h"

namespace rlctl {

class ExchangeDeadline {
 public:
  ExchangeDeadline(Loop& loop, std::int64_t timeout_us, std::function<void()> passed)
      : timeout_us_(timeout_us), passed_(std::move(passed)) {
    auto fires = [](evutil_socket_t, short, void* self) {
      auto& deadline = *static_cast<ExchangeDeadline*>(self);
      deadline.armed_ = false;
      deadline.passed_();
    };
    timer_ = event_new(loop.base(), -1, 0, fires, this);
    if (timer_ == nullptr) throw std::bad_alloc();
  }
  ~ExchangeDeadline() { free_event(timer_); }
  ExchangeDeadline(const ExchangeDeadline&) = delete;
  ExchangeDeadline& operator=(const ExchangeDeadline&) = delete;

  bool has_passed(std::int64_t begun_us) const { return now_us() - begun_us >= timeout_us_; }

  void arm(std::int64_t oldest_begun_us) {
    if (armed_) return;
    const std::int64_t wait_us = oldest_begun_us + timeout_us_ - now_us();
    const timeval wait = to_timeval(std::max<std::int64_t>(1'000, wait_us));
    event_add(timer_, &wait);
    armed_ = true;
  }

 private:
  std::int64_t timeout_us_;
  std::function<void()> passed_;
  event* timer_ = nullptr;
  bool armed_ = false;
};

}  // namespace rlctl
