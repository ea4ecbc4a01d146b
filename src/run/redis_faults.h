// RedisFaults: what a scenario does to its Redis on purpose. What destroys data or halts the server
// is done only to a Redis that rlctl started: Error(Exit::usage) on any other. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/loop.h"
#include "io/proxy/proxy.h"
#include "io/redis/deployment/embedded_redis.h"
#include "io/redis/redis.h"
#include "run/crash_point.h"
#include "run/play_clock.h"

namespace rlctl {

// How long a fault lasts: its time, but not longer than its clock runs, which is stopped when
// nobody asks any more and when the run ends early.
struct FaultSpan {
  PlayClock& clock;
  std::int64_t us = 0;
  Task<> over() const { return clock.until(clock.now_us() + us); }
};

// What a fault changed it undoes when its span is over.
class RedisFaults {
 public:
  // Borrows all of them. `own`: the server that rlctl started, else null. `proxy`: null if the
  // clients connect directly; the control connection always does.
  RedisFaults(Loop& loop, Redis& control, EmbeddedRedis* own, CrashPoint& crash_point, Proxy* proxy)
      : loop_(loop), control_(control), own_(own), crash_point_(crash_point), proxy_(proxy) {}

  // Until our own single server answers again after a fault before, which takes a moment.
  Task<> be_back(PlayClock& clock);
  Task<> forget_scripts();
  // Closes every connection to Redis but that of rlctl itself.
  Task<> kill_clients();
  // Of a cluster: the master of this key.
  Task<> restart(std::string key, FaultSpan down);  // starts again, empty, after that time
  Task<> hang(std::string key, FaultSpan down);     // does not answer for that time
  Task<> fill_memory(FaultSpan down);               // refuses to store anything for that time
  // Of a cluster only. A replica of the master of this key takes over: `graceful`, or after it has
  // heard nothing for that time.
  Task<> fail_over(std::string key, bool graceful, FaultSpan down);
  // The slot of this key moves to another master, and is under way for that time at least.
  Task<> move_slot(std::string key, FaultSpan down);
  // On the way from the clients to Redis.
  Task<> slow_down(std::int64_t by_us, std::int64_t jitter_us, FaultSpan down);
  Task<> cut(FaultSpan down);
  Task<> half_open(FaultSpan down);
  // Crashes the next client that has sent so many commands in a decision.
  void crash_client(std::int64_t commands) { crash_point_.arm(commands); }

 private:
  EmbeddedRedis& own_server(const char* fault) const;
  ClusterSteering& own_cluster(const char* fault);
  Task<std::size_t> server_of(const char* fault, std::string key);
  Task<pid_t> process_of(const char* fault, std::size_t server);
  Task<std::string> setting(std::string name);
  Task<> set(std::string name, std::string value);

  Loop& loop_;
  Redis& control_;
  EmbeddedRedis* own_;
  CrashPoint& crash_point_;
  Proxy* proxy_;
  std::string stopped_process_;  // of the last restart: what it answers is not the new server's
  std::vector<std::unique_ptr<ClusterSteering>> steerings_;  // one for each fault: they may overlap
};

}  // namespace rlctl
