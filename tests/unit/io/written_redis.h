// A Redis whose replies are written down before, and which notes what it was asked. One thread.
#pragma once

#include <coroutine>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/loop.h"
#include "io/redis/redis.h"
#include "tools/replies.h"

namespace rlctl::test {

inline Reply refusal(const std::string& words) { return text(words, Reply::Type::error); }

// The answer to SCAN.
inline Reply page(const std::string& cursor, const std::vector<std::string>& keys) {
  std::vector<Reply> names;
  for (const std::string& key : keys) names.push_back(text(key));
  return array({text(cursor), array(std::move(names))});
}

// "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n" -> "GET k"
inline std::string words_of(std::string_view wire) {
  std::string words;
  bool bulk = false;
  while (!wire.empty()) {
    const std::size_t end = wire.find("\r\n");
    if (bulk) words += (words.empty() ? "" : " ") + std::string(wire.substr(0, end));
    bulk = !bulk && wire.front() == '$';
    wire.remove_prefix(end + 2);
  }
  return words;
}

// To be awaited: the coroutine goes on in the loop's next pass.
class NextPass final : private Loop::Flushable {
 public:
  explicit NextPass(Loop& loop) : loop_(loop) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> awaiting) {
    waiter_ = awaiting;
    loop_.want_flush(*this);
  }
  void await_resume() const noexcept {}

 private:
  void flush() override { loop_.resume(waiter_); }

  Loop& loop_;
  std::coroutine_handle<> waiter_;
};

// Answers each command with the next reply, after start() has returned; then the connection ends.
class WrittenRedis final : public Redis {
 public:
  WrittenRedis(Loop& loop, std::deque<Reply> replies) : loop_(loop), replies_(std::move(replies)) {}

  void start(Exchange& exchange, std::string_view wire) override {
    asked.push_back(words_of(wire));
    loop_.spawn(answer(*this, exchange));
  }

  std::vector<std::string> asked;

 private:
  static Task<> answer(WrittenRedis& redis, Exchange& exchange) {
    NextPass pass(redis.loop_);
    co_await pass;
    exchange.sent_us = 1;
    exchange.state = redis.replies_.empty() ? Exchange::State::lost : Exchange::State::replied;
    if (!redis.replies_.empty()) {
      exchange.received_us = 2;
      exchange.reply = redis.replies_.front();
      redis.replies_.pop_front();
    } else {
      exchange.problem = "connection reset";
    }
    redis.loop_.resume(exchange.waiter);
  }

  Loop& loop_;
  std::deque<Reply> replies_;
};

}  // namespace rlctl::test
