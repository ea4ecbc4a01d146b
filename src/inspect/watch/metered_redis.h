// MeteredRedis: a Redis that measures how long the server is busy with what it is asked.
//
// What is asked in one pass of the loop goes out as one batch between two TIMEs, whose difference
// is what the server needed for it, by its own clock and without the network: an upper bound, as
// the commands of others may come in between. Reading and writing its socket is counted per batch.
// Where TIME is refused, the round trip counts.
//
// Borrows the loop and the Redis behind it, which must outlive it; owns the TIMEs, and must outlive
// their answers or the other Redis. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "io/loop.h"
#include "io/redis/redis.h"

namespace rlctl {

class MeteredRedis final : public Redis, private Loop::Flushable {
 public:
  MeteredRedis(Loop& loop, Redis& redis) : loop_(loop), redis_(redis) {}
  ~MeteredRedis();
  MeteredRedis(const MeteredRedis&) = delete;
  MeteredRedis& operator=(const MeteredRedis&) = delete;

  void start(Exchange& exchange, std::string_view wire) override;

  // The server's time for the batches that were answered since the last call, µs.
  std::int64_t take_busy_us();

  // The server's clock minus ours (clock.h), as the last answer of take_busy_us showed it; 0 where
  // TIME is refused.
  std::int64_t clock_offset_us() const { return clock_offset_us_; }

 private:
  struct Batch {
    Exchange begin;
    Exchange end;
  };
  void flush() override;

  Loop& loop_;
  Redis& redis_;
  std::deque<std::unique_ptr<Batch>> batches_;
  bool open_ = false;
  std::int64_t clock_offset_us_ = 0;
};

}  // namespace rlctl
