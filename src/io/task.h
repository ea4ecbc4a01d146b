// Task<T>: a lazily started coroutine that produces one T, or throws.
//
// Owns its frame: destroying a Task destroys the coroutine, wherever it is suspended. `co_await
// task` starts it; the awaiting coroutine is resumed by symmetric transfer (Lewis Baker, "C++
// Coroutines: Understanding Symmetric Transfer", 2020), so a chain of any length needs no stack. An
// exception is kept in the promise and rethrown by `co_await`. One thread.
//
// Two rules for coroutines here: take parameters by value unless the caller awaits at once, and
// never make a capturing lambda a coroutine (its captures die with the lambda, not with the frame).
// Two more for g++ 12, inside a co_await expression: no braced list (it does not compile) and no `a
// ? b : c` (a temporary is destroyed twice).
#pragma once

#include <cassert>
#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace rlctl {

namespace detail {

struct PromiseBase {
  // The awaiting coroutine. If nobody awaits the task, it ends in a noop.
  std::coroutine_handle<> continuation = std::noop_coroutine();
  std::exception_ptr exception;

  struct FinalAwaiter {
    bool await_ready() noexcept { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) noexcept {
      return done.promise().continuation;
    }
    void await_resume() noexcept {}
  };

  std::suspend_always initial_suspend() noexcept { return {}; }
  FinalAwaiter final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { exception = std::current_exception(); }
};

template <typename T>
struct Promise : PromiseBase {
  std::optional<T> value;
  template <typename U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() {
    if (exception) std::rethrow_exception(exception);
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  void return_void() noexcept {}
  void take() {
    if (exception) std::rethrow_exception(exception);
  }
};

}  // namespace detail

template <typename T = void>
class [[nodiscard]] Task {
 public:
  struct promise_type : detail::Promise<T> {
    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
  };
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool done() const { return !handle_ || handle_.done(); }

  // For code that is not a coroutine (Loop): start it, and check later whether it is done. `then`
  // is resumed when it has ended.
  void start(std::coroutine_handle<> then = std::noop_coroutine()) {
    handle_.promise().continuation = then;
    handle_.resume();
  }
  T result() {
    assert(done());
    return handle_.promise().take();
  }

  auto operator co_await() && noexcept {
    struct Awaiter {
      Handle handle;
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
        handle.promise().continuation = awaiting;
        return handle;
      }
      T await_resume() { return handle.promise().take(); }
    };
    return Awaiter{handle_};
  }

 private:
  Handle handle_;
};

}  // namespace rlctl
