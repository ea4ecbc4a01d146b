// A file descriptor that is owned, and one that is waited for.
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "io/loop.h"

namespace rlctl {

// Suspends until the descriptor can be read (EV_READ) or written (EV_WRITE), or the deadline has
// passed: then co_await returns false.
class Ready {
 public:
  Ready(Loop& loop, int descriptor, short wanted, std::int64_t deadline_us)
      : loop_(loop), descriptor_(descriptor), wanted_(wanted), deadline_us_(deadline_us) {}
  Ready(const Ready&) = delete;
  Ready& operator=(const Ready&) = delete;
  ~Ready() { free_event(event_); }
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> awaiting);
  bool await_resume() const noexcept { return ready_; }

 private:
  Loop& loop_;
  int descriptor_;
  short wanted_;
  std::int64_t deadline_us_;
  event* event_ = nullptr;
  std::coroutine_handle<> waiter_;
  bool ready_ = false;
};

// Closes the descriptor on every path except release().
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

// Of one socket, at most 16 KB each: then others get a turn.
inline constexpr int kMostReadsAtOnce = 16;

// An event of a socket, not yet added. Edges spare the kernel a second look at each socket: 5 % of
// the CPU of a run over HTTP with 50 connections. Who reads goes on to EAGAIN, or until all that
// was awaited is there. TLS keeps to levels: it may leave bytes in the socket until it can write.
event* socket_event(Loop& loop, int socket, short what, bool has_tls,
                    void (*told)(int, short, void*), void* context);

// Of a connect() that has ended: 0, or an errno.
int pending_error(int descriptor);

}  // namespace rlctl
