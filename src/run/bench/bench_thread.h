// One more thread of a bench: its loop, its connections to Redis, and a contestant of its own for
// each one of the bench. Nothing of it is shared with another thread, so that nobody waits for a
// lock.
//
// The bench's thread makes it, connects it and destroys it. In between, one thread at a time: that
// of a measurement (speed.h). Error(Exit::target) if Redis cannot be reached.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "io/loop.h"
#include "io/redis/deployment/deployment.h"
#include "log/record.h"
#include "run/bench/contestant.h"
#include "run/bench/speed.h"

namespace rlctl {

using Connections = std::vector<std::unique_ptr<RedisClient>>;

// Opens those that are not open, in waves that the server can take.
Task<> open_all(Loop& loop, const Connections& connections);

class BenchThread {
 public:
  explicit BenchThread(Loop::Timers timers);

  void connect(const Endpoint& endpoint, std::int64_t connections);
  void reconnect() { loop_.run(open_all(loop_, connections_)); }
  void spin_for(std::int64_t spin_us) { loop_.set_spin_us(spin_us); }

  Loop& loop() { return loop_; }
  const Connections& connections() const { return connections_; }
  void add(std::unique_ptr<Contestant> contestant) {
    contestants_.push_back(std::move(contestant));
  }
  // By number, in the order in which they were added.
  SpeedPlayer player(std::size_t contestant) {
    return {loop_, *contestants_[contestant], records_};
  }

 private:
  // The order matters: the first member is destroyed last and must outlive the others.
  Loop loop_;
  std::optional<Deployment> redis_;
  Connections connections_;
  std::vector<std::unique_ptr<Contestant>> contestants_;
  std::vector<Record> records_;
};

}  // namespace rlctl
