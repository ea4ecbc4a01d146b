// Redis: the small interface of a single connection, a cluster or a fake.
//
// Usage: `Exchange exchange = co_await redis.send(wire);` One thread. Nothing here throws because
// of the peer: a limiter's failure is data. Nothing is retried.
#pragma once

#include <coroutine>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/redis/reply.h"
#include "io/task.h"

namespace rlctl {

// One command and its result.
struct Exchange {
  enum class State : std::uint8_t {
    pending,
    replied,   // `reply` holds the answer, which may be an error reply
    not_sent,  // no byte of it left this process: certainly not executed
    lost,      // bytes went out, but no answer came (time-out, reset, garbage): executed or not
  };

  State state = State::pending;
  Reply reply;
  std::string problem;           // why not_sent or lost: text for a message
  std::int64_t sent_us = 0;      // just before the first byte went out
  std::int64_t received_us = 0;  // just after the reply was complete

  // For the implementation.
  std::coroutine_handle<> waiter;
  Exchange* next = nullptr;
};

class Redis {
 public:
  virtual ~Redis() = default;

  // Copies the bytes before it returns. Resumes exchange.waiter when the state is known, but never
  // before it returns. The exchange must not move until then.
  virtual void start(Exchange& exchange, std::string_view wire) = 0;

  class Send {
   public:
    Send(Redis& redis, std::string_view wire) : redis_(redis), wire_(wire) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> awaiting) {
      exchange_.waiter = awaiting;
      redis_.start(exchange_, wire_);
    }
    Exchange await_resume() { return std::move(exchange_); }

   private:
    Redis& redis_;
    std::string_view wire_;
    Exchange exchange_;
  };
  // The wire bytes must live until the co_await suspends; a temporary does.
  Send send(std::string_view wire) { return {*this, wire}; }
};

// For verbs that stop when Redis fails: returns the reply, or throws Error(Exit::target) with a
// remedy (redis_error.h), also for error replies.
Task<Reply> ask(Redis& redis, std::string wire);

// Many commands in flight at once, for verbs that look at many keys: one round trip instead of
// hundreds. Returns the exchanges in the order of the commands; a failure is a state of its
// exchange. Send at most some thousands at once: all are in memory.
Task<std::vector<Exchange>> send_all(Redis& redis, std::vector<std::string> wires);

}  // namespace rlctl
