// MeteredRedis: a Redis that measures how long the server is busy with our commands.
//
// The commands of one pass of the loop are sent as one batch between two TIME commands. The
// difference of these two is the server's time for the batch, by its own clock and without the
// network. It is an upper bound, since commands of other clients may run in between. The time to
// read and write the socket is added per batch. If TIME is refused, the round trip is used instead.
// Of a cluster, each node is measured, and the busiest counts; commands that are sent on to another
// node are not measured.
//
// Borrows the loop and the wrapped Redis, which must outlive it. Owns the TIME exchanges, so it
// must outlive either their answers or the wrapped Redis. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

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

  // The server's time for the batches that were answered since the last call, in µs.
  std::int64_t take_busy_us();

  // The server's clock minus ours (clock.h), from the last answer that take_busy_us counted; 0 if
  // TIME is refused.
  std::int64_t clock_offset_us() const { return clock_offset_us_; }

 private:
  // The part of a batch that one server runs.
  struct Span {
    Redis* server = nullptr;
    Exchange begin;
    Exchange end;
    bool is_closed = false;  // the end was asked for
  };
  using Batch = std::vector<Span>;  // never grows: exchanges must not move

  static bool is_known(const Span& span);
  void begin_batch();
  void take_clock(const Exchange& time);
  void flush() override;

  Loop& loop_;
  Redis& redis_;
  std::deque<Batch> batches_;
  bool open_ = false;
  std::int64_t clock_offset_us_ = 0;
};

}  // namespace rlctl
