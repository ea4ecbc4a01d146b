#include "io/ticker.h"

#include <event2/event.h>

#include <new>

#include "io/loop.h"

namespace rlctl {

Ticker::Ticker(Loop& loop, std::int64_t interval_us, std::function<void()> tick)
    : tick_(std::move(tick)) {
  auto call = [](evutil_socket_t, short, void* self) { static_cast<Ticker*>(self)->tick_(); };
  timer_ = event_new(loop.base(), -1, EV_PERSIST, call, this);
  if (timer_ == nullptr) throw std::bad_alloc();
  const timeval interval = to_timeval(interval_us);
  event_add(timer_, &interval);
}

Ticker::~Ticker() { event_free(timer_); }

}  // namespace rlctl
