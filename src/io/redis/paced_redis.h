// PacedRedis: a client for long work that takes at most a share of the server's time. It measures
// all commands (metered_redis.h); turn() makes the work wait. A command itself never waits, so
// that what belongs together is read together.
//
// Borrows the loop and the client, which must outlive it. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/loop.h"
#include "io/redis/load_pacer.h"
#include "io/redis/metered_redis.h"
#include "io/redis/redis_client.h"

namespace rlctl {

class PacedRedis final : public RedisClient {
 public:
  PacedRedis(Loop& loop, RedisClient& client, LoadPacer pacer)
      : loop_(loop), client_(client), meter_(loop, client), pacer_(std::move(pacer)) {}

  // To be awaited before each step of the work, such as a page of a search. False once the loop is
  // interrupted: do not begin the step.
  Task<bool> turn();
  // Reports to the pacer what has been answered. turn() does that first.
  void account();
  // Called before the first time that turn() waits.
  void on_first_wait(std::function<void()> told) { told_ = std::move(told); }
  bool has_waited() const { return has_waited_; }

  const LoadPacer& pacer() const { return pacer_; }
  std::int64_t clock_offset_us() const { return meter_.clock_offset_us(); }

  Task<> connect() override { return client_.connect(); }
  bool is_open() const override { return client_.is_open(); }
  Task<> look_back() override { return client_.look_back(); }
  std::string unseen() const override { return client_.unseen(); }
  void start(Exchange& exchange, std::string_view wire) override { meter_.start(exchange, wire); }
  void settle_on(std::string_view key) override { client_.settle_on(key); }
  std::vector<RedisServer> servers() override { return client_.servers(); }

 private:
  Loop& loop_;
  RedisClient& client_;
  MeteredRedis meter_;
  LoadPacer pacer_;
  std::function<void()> told_;
  bool has_waited_ = false;
};

}  // namespace rlctl
