// Latch: coroutines wait until it opens, which happens once; after that, waiting returns at once.
// Borrows the loop; must outlive the waiting coroutines. One thread.
#pragma once

#include <coroutine>
#include <utility>
#include <vector>

#include "io/loop.h"

namespace rlctl {

class Latch {
 public:
  explicit Latch(Loop& loop) : loop_(&loop) {}

  bool is_open() const { return open_; }

  void open() {
    open_ = true;
    for (const std::coroutine_handle<> waiter : std::exchange(waiters_, {})) loop_->resume(waiter);
  }

  auto opened() {
    struct Wait {
      Latch& latch;
      bool await_ready() const noexcept { return latch.open_; }
      void await_suspend(std::coroutine_handle<> awaiting) { latch.waiters_.push_back(awaiting); }
      void await_resume() const noexcept {}
    };
    return Wait{*this};
  }

 private:
  Loop* loop_;
  bool open_ = false;
  std::vector<std::coroutine_handle<>> waiters_;
};

}  // namespace rlctl
