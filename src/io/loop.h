// Loop: one libevent base and the coroutines that wait on it. One thread.
//
// Owns the base and every spawned task; destroying the loop destroys tasks that never finished.
// Throws std::bad_alloc if libevent can't start. The join() that waits for a spawned task rethrows
// the task's exception.
//
// A pass is: wait for events, run their callbacks (which resume coroutines), then run the flushes
// that they requested. So the output of many coroutines to one socket goes out in one system call.
// (After it has delivered answers, a connection sends the commands that they caused at once.)
//
// The room io: everything that talks to the system: loop, coroutines, clock, files, terminal. The
// two protocols are in io/redis and io/http.
// - It includes base, and uses libevent, libcurl, hiredis and zlib.
// - It must not know rate limits: it sends a command or a request and returns the answer. A failure
//   of the peer is data; only a verb that can't go on gets an Error.
//
// Begin with task.h (coroutines) and this file. Then: redis/redis.h and redis/connection.h,
// http/http_client.h, http/server/http_server.h, byte_source.h and atomic_file.h (files).
#pragma once

#include <sys/time.h>

#include <coroutine>
#include <cstdint>
#include <functional>
#include <vector>

#include "io/task.h"

struct event_base;
struct event;

namespace rlctl {

class Loop {
 public:
  // precise: timers to the microsecond (timerfd, one more system call per pass), for open-loop
  // schedules. coarse: whole milliseconds, enough for time-outs.
  enum class Timers { coarse, precise };

  explicit Loop(Timers timers = Timers::coarse);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  event_base* base() const { return base_; }

  // Runs until the task is done and returns its result. Other spawned tasks stay suspended.
  template <typename T>
  T run(Task<T> task) {
    task.start();
    while (!task.done()) pass();
    return task.result();
  }

  // Starts a task that the loop owns. The part before its first suspension runs before spawn
  // returns.
  void spawn(Task<> task);

  // Waits until all spawned tasks are done; rethrows the first exception of a task.
  Task<> join();

  // With few requests in flight, sleeping in epoll costs more than the reply takes: poll without
  // blocking for this long before every wait (35k against 14.5k decisions/s on one connection).
  void set_spin_us(std::int64_t spin_us) { spin_us_ = spin_us; }

  // Callbacks resume a coroutine through this function.
  void resume(std::coroutine_handle<> waiter) {
    ++resumed_;
    waiter.resume();
  }

  class Sleep {
   public:
    Sleep(Loop& loop, std::int64_t at_us) : loop_(loop), at_us_(at_us) {}
    Sleep(const Sleep&) = delete;
    Sleep& operator=(const Sleep&) = delete;
    ~Sleep();
    bool await_ready() const noexcept;
    void await_suspend(std::coroutine_handle<> awaiting);
    void await_resume() const noexcept {}

   private:
    void arm();
    void wake();

    Loop& loop_;
    std::int64_t at_us_;
    event* timer_ = nullptr;
    std::coroutine_handle<> waiter_;
  };
  // Resumes at or just after at_us (clock.h). Does not suspend if that time has passed.
  Sleep until(std::int64_t at_us) { return {*this, at_us}; }

  // An object whose flush() is to be called once, at the end of this pass.
  class Flushable {
   public:
    virtual void flush() = 0;

   protected:
    ~Flushable() = default;

   private:
    friend class Loop;
    bool flush_wanted_ = false;
  };
  void want_flush(Flushable& flushable);
  void forget(Flushable& flushable);

  // SIGINT, SIGTERM and SIGHUP set a flag that schedules read; a second one, 50 ms later or more,
  // ends the process at once, also if the loop does not get to its events. One loop at a time.
  void watch_signals();
  // For the loop of another thread: it sees the flag while the first one watches.
  void follow_signals() { follows_signals_ = true; }
  bool interrupted() const;

 private:
  void stop_watching_signals();
  void pass();
  void spin();
  void flush_all();
  Task<> count_ended();
  void reap();

  event_base* base_ = nullptr;
  std::int64_t spin_us_ = 0;
  std::uint64_t resumed_ = 0;
  event* signal_event_ = nullptr;
  bool follows_signals_ = false;
  std::vector<Flushable*> wanted_;
  std::vector<Flushable*> flushing_;
  std::vector<Task<>> tasks_;
  std::size_t ended_ = 0;           // of tasks_
  Task<> counter_;                  // resumed by each task that ends
  std::coroutine_handle<> at_end_;  // the counter's
  std::coroutine_handle<> joiner_;
};

// Calls a function at an interval while the loop runs. Borrows the loop, owns its timer.
class Ticker {
 public:
  Ticker(Loop& loop, std::int64_t interval_us, std::function<void()> tick);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  std::function<void()> tick_;
  event* timer_ = nullptr;
};

// Frees an event of libevent, if there is one.
void free_event(event*& owned);

inline timeval to_timeval(std::int64_t us) {
  return {static_cast<time_t>(us / 1'000'000), static_cast<suseconds_t>(us % 1'000'000)};
}

}  // namespace rlctl
