#include "io/redis/reconnecting.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "io/clock.h"

namespace rlctl {
namespace {

constexpr std::int64_t kShortestWaitUs = 50'000;
constexpr std::int64_t kLongestWaitUs = 1'000'000;

}  // namespace

Reconnecting::Reconnecting(Loop& loop, Endpoint endpoint, Notice notice)
    : loop_(loop),
      endpoint_(std::move(endpoint)),
      notice_(std::move(notice)),
      connection_(std::make_unique<Connection>(loop)) {}

Task<> Reconnecting::connect() {
  co_await connection_->connect(endpoint_);
  keep_in_sight();
  keeper_ = keep_connected();
  keeper_.start();
}

void Reconnecting::start(Exchange& exchange, std::string_view wire) {
  connection_->start(exchange, wire);
}

void Reconnecting::keep_in_sight() {
  connection_->on_close([this] {
    if (waiter_) loop_.resume(std::exchange(waiter_, nullptr));
  });
}

Task<> Reconnecting::keep_connected() {
  struct Closed {
    Reconnecting& self;
    bool await_ready() const noexcept { return !self.is_open(); }
    void await_suspend(std::coroutine_handle<> awaiting) const noexcept { self.waiter_ = awaiting; }
    void await_resume() const noexcept {}
  };
  while (true) {
    co_await Closed{*this};
    // Not inside the close callback, and not at once: this delay also applies to a server that
    // refuses us.
    co_await loop_.until(now_us() + kShortestWaitUs);
    tell("the connection to Redis is lost");
    co_await come_back();
    tell("Redis is back");
  }
}

Task<> Reconnecting::come_back() {
  std::string told;
  std::int64_t wait_us = kShortestWaitUs;
  while (!co_await try_again()) {
    if (problem_ != told) tell(problem_);
    told = problem_;
    co_await loop_.until(now_us() + wait_us);
    wait_us = std::min(2 * wait_us, kLongestWaitUs);
  }
}

void Reconnecting::tell(const std::string& words) const {
  if (notice_) notice_(words);
}

Task<bool> Reconnecting::try_again() {
  next_ = std::make_unique<Connection>(loop_);
  problem_.clear();
  try {
    co_await next_->connect(endpoint_);
  } catch (const Error& error) {
    problem_ = error.what();
  }
  if (!problem_.empty()) co_return false;
  const std::unique_ptr<Connection> old = std::exchange(connection_, std::move(next_));
  keep_in_sight();
  old->close("the connection is closed");  // for commands that were sent in this very pass
  co_return true;
}

}  // namespace rlctl
