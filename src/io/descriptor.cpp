#include "io/descriptor.h"

#include <event2/event.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "io/clock.h"

namespace rlctl {

void Ready::await_suspend(std::coroutine_handle<> awaiting) {
  waiter_ = awaiting;
  auto happened = [](evutil_socket_t, short what, void* self) {
    auto* ready = static_cast<Ready*>(self);
    ready->ready_ = (what & ready->wanted_) != 0;
    ready->loop_.resume(ready->waiter_);
  };
  event_ = event_new(loop_.base(), descriptor_, wanted_, happened, this);
  if (event_ == nullptr) throw std::bad_alloc();
  const std::int64_t wait_us = std::max<std::int64_t>(0, deadline_us_ - now_us());
  const timeval wait = to_timeval(wait_us);
  event_add(event_, &wait);
}

Descriptor::~Descriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

event* socket_event(Loop& loop, int socket, short what, bool has_tls,
                    void (*told)(int, short, void*), void* context) {
  const int events = what | (has_tls ? 0 : EV_ET);
  event* made = event_new(loop.base(), socket, static_cast<short>(events), told, context);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

int pending_error(int descriptor) {
  int problem = 0;
  socklen_t size = sizeof problem;
  getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &size);
  return problem;
}

}  // namespace rlctl
