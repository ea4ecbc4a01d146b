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
  std::int64_t sent_us = 0;      // just before the first byte went out, of the first try
  std::int64_t received_us = 0;  // just after the reply was complete
  bool sent_on = false;          // a cluster has sent it on, to another node than at first

  bool has_answer() const { return state == State::replied && !reply.is_error(); }
  bool is_refused() const { return state == State::replied && reply.is_error(); }

  // Where the command belongs in a cluster: a part of its bytes. Empty: as its name says.
  std::string_view key;

  // For the implementation.
  std::string_view wire;  // kept by who may have to send it again
  std::coroutine_handle<> waiter;
  Exchange* next = nullptr;
};

class Redis;

// One of the servers behind a Redis; `name` is empty if there is only one.
struct RedisServer {
  std::string name;
  Redis* redis = nullptr;
};

class Redis {
 public:
  virtual ~Redis() = default;

  // Resumes exchange.waiter when the state is known, but never before it returns. The exchange must
  // not move until then, and the bytes of a command with keys must stay: a cluster may have to send
  // them to another node.
  virtual void start(Exchange& exchange, std::string_view wire) = 0;

  // All that follows concerns this key, until the next call ("": no key): for commands whose place
  // in a cluster can't be told from themselves, such as MULTI. Redirections are then not followed.
  virtual void settle_on(std::string_view key) { static_cast<void>(key); }

  // The servers that run the commands: itself, or the masters of a cluster. Valid until the next
  // command.
  virtual std::vector<RedisServer> servers() { return {{{}, this}}; }

  class Send {
   public:
    Send(Redis& redis, std::string_view wire, std::string_view key) : redis_(redis), wire_(wire) {
      exchange_.key = key;
    }
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> awaiting) {
      exchange_.waiter = awaiting;
      redis_.start(exchange_, wire_);
    }
    Exchange&& await_resume() { return std::move(exchange_); }

   private:
    Redis& redis_;
    std::string_view wire_;
    Exchange exchange_;
  };
  // The wire bytes, and the key's, must live until the co_await resumes; a temporary in its
  // expression does. `key`: as in Exchange.
  Send send(std::string_view wire, std::string_view key = {}) { return {*this, wire, key}; }
};

// To be awaited: until the state is known. Answers may come in any order, so the exchange begins
// with a waiter that does nothing (std::noop_coroutine).
struct UntilKnown {
  Exchange& exchange;
  bool await_ready() const noexcept { return exchange.state != Exchange::State::pending; }
  void await_suspend(std::coroutine_handle<> awaiting) const noexcept {
    exchange.waiter = awaiting;
  }
  void await_resume() const noexcept {}
};

// For verbs that stop when Redis fails: returns the reply, or throws Error(Exit::target) with a
// remedy (redis_error.h), also for error replies.
Task<Reply> ask(Redis& redis, std::string wire);

// Many commands in flight at once, for verbs that look at many keys: one round trip instead of
// hundreds. Returns the exchanges in the order of the commands; a failure is a state of its
// exchange. Send at most some thousands at once: all are in memory.
Task<std::vector<Exchange>> send_all(Redis& redis, std::vector<std::string> wires);

}  // namespace rlctl
