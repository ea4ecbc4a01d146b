#include "io/redis/reconnecting.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "io/clock.h"

namespace rlctl {
namespace {

constexpr std::int64_t kShortestWaitUs = 50'000;
constexpr std::int64_t kLongestWaitUs = 1'000'000;
constexpr std::int64_t kLookUs = 2'000;

}  // namespace

Reconnecting::Reconnecting(Loop& loop, std::shared_ptr<EndpointSource> source, Notice notice)
    : loop_(loop),
      source_(std::move(source)),
      notice_(std::move(notice)),
      connection_(std::make_unique<Connection>(loop)) {}

Reconnecting::Reconnecting(Loop& loop, Endpoint endpoint, Notice notice)
    : Reconnecting(loop, std::make_shared<FixedEndpoint>(std::move(endpoint)), std::move(notice)) {}

Task<> Reconnecting::connect() {
  if (!keeper_.done()) co_return co_await next_attempt();
  const bool connected = co_await try_again();
  if (!connected) std::rethrow_exception(failure_);
  first_ = NodeAddress{endpoint_.host, endpoint_.port};
  keeper_ = keep_connected();
  keeper_.start();
  if (source_->watch_interval_us() == 0) co_return;
  watcher_ = watch_source();
  watcher_.start();
}

// The keeper is at it: it decides when.
Task<> Reconnecting::next_attempt() {
  for (const std::uint64_t before = attempts_; !is_open() && attempts_ == before;)
    co_await loop_.until(now_us() + kLookUs);
  if (!is_open()) std::rethrow_exception(failure_);
}

void Reconnecting::begin() {
  if (!keeper_.done()) return;
  keeper_ = keep_connected();
  keeper_.start();
}

void Reconnecting::start(Exchange& exchange, std::string_view wire) {
  connection_->start(exchange, wire);
}

void Reconnecting::on_error(Connection::ErrorTaker taker) {
  taker_ = std::move(taker);
  connection_->on_error(taker_);
}

void Reconnecting::called(std::string name) {
  name_ = std::move(name);
  connection_->called(name_);
}

void Reconnecting::keep_in_sight() {
  connection_->called(name_);
  connection_->on_error(taker_);
  connection_->on_close([this] {
    if (waiter_) loop_.resume(std::exchange(waiter_, nullptr));
  });
}

// A server that hangs keeps its connections: only the source knows that another took its place.
Task<> Reconnecting::watch_source() {
  while (true) {
    co_await loop_.until(now_us() + source_->watch_interval_us());
    if (!is_open()) continue;
    const bool left = co_await source_->has_left(endpoint_);
    if (left && is_open()) connection_->close("another server has taken its place");
  }
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
    // refuses us. A connection that there never was need not wait.
    if (attempts_ > 0) {
      co_await loop_.until(now_us() + kShortestWaitUs);
      tell("the connection to Redis is lost");
    }
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

Task<> Reconnecting::look_back() {
  if (source_->watch_interval_us() == 0) co_return;
  moved_ = co_await source_->why_moved(first_);
  if (!moved_.empty()) moved_ = "perhaps keys of another server: " + moved_;
}

void Reconnecting::tell(const std::string& words) const {
  if (notice_) notice_(words);
}

Task<bool> Reconnecting::try_again() {
  next_ = std::make_unique<Connection>(loop_);
  failure_ = nullptr;
  try {
    endpoint_ = co_await source_->find();
    // Of a server that the user has not named, a problem says which it is.
    if (source_->watch_interval_us() > 0)
      name_ = escape_for_terminal(NodeAddress{endpoint_.host, endpoint_.port}.text());
    next_->called(name_);
    co_await next_->connect(endpoint_);
    co_await source_->verify(*next_);
  } catch (const Error& error) {
    failure_ = std::current_exception();
    problem_ = error.what();
    if (!connection_->is_open()) connection_->not_connected(problem_);
  }
  ++attempts_;
  if (failure_) co_return false;
  const std::unique_ptr<Connection> old = std::exchange(connection_, std::move(next_));
  keep_in_sight();
  old->close("the connection is closed");  // for commands that were sent in this very pass
  co_return true;
}

}  // namespace rlctl
