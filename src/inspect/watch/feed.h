// WatchFeed: what watch shows, kept true while a loop runs: the connection, which comes back when
// it is lost, the looks at the keys, paced so that they take no more of the server's time than they
// may, and what a user asks for in between. Owns all of that, not the loop.
//
// Error(Exit::target) from connect() only: later trouble is words in status().trouble. One thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inspect/inspection.h"
#include "inspect/watch/live_overview.h"
#include "inspect/watch/load_pacer.h"
#include "inspect/watch/metered_redis.h"
#include "inspect/watch/row.h"
#include "inspect/watch/sampler.h"
#include "io/loop.h"
#include "io/redis/endpoint.h"
#include "io/redis/reconnecting.h"
#include "limiter/registry.h"
#include "policy/policy.h"

namespace rlctl {

// What is watched, and how much it may cost the server.
struct WatchPlan {
  Endpoint endpoint;
  Registry registry;
  std::string pattern;
  std::string algorithm;  // empty: as the keys tell
  Policy policy;          // limit 0: not known
  double load = 0.01;     // the share of the server's time that the looks may take
  std::int64_t interval_us = 1'000'000;
};

class WatchFeed {
 public:
  WatchFeed(Loop& loop, const WatchPlan& plan);

  // The first time; Error(Exit::target).
  Task<> connect();

  // Looks at the limiters until the loop ends. `wanted`: names of those that are shown.
  Task<> go_on(std::function<std::vector<std::string>()> wanted);

  // A look at everything, and after an interval another at the `most` busiest, for their rates.
  // Ends early when the loop is interrupted.
  Task<> look_once(std::size_t most);

  // Nothing is asked of the server while it is paused.
  void pause(bool paused) { paused_ = paused; }

  Task<Inspection> inspect(std::string name, std::int64_t most_entries);

  // The limiter's keys that are there now, its flag's among them.
  Task<std::vector<std::string>> keys_of(std::string name);
  // Removes these keys; in words what became of them, escaped.
  Task<std::string> remove(std::vector<std::string> keys);

  std::vector<WatchRow> rows() const { return overview_.rows(); }
  std::vector<std::string> busiest(std::size_t most) const;  // names, the most used first
  WatchStatus status() const;
  const Policy& policy() const { return policy_; }

  // Counts up with every change of what is shown.
  std::int64_t version() const { return version_; }

 private:
  Task<> step(std::vector<std::string> shown);
  Task<> look_at_limiters(std::vector<std::string> names);
  Task<> measured(Task<> look);
  Task<> rest();
  std::int64_t server_now_us() const;

  Loop& loop_;
  Policy policy_;
  std::string pattern_;
  std::string server_;
  std::int64_t interval_us_;
  std::string connection_trouble_;
  std::string trouble_;
  Reconnecting connection_;
  MeteredRedis redis_;
  KeyReader reader_;
  LiveOverview overview_;
  LimiterSampler sampler_;
  LoadPacer pacer_;
  std::int64_t looked_us_ = 0;  // at what is shown
  std::int64_t pass_began_us_ = 0;
  std::int64_t version_ = 0;
  bool further_next_ = false;  // what is shown has had its turn
  bool paused_ = false;
  bool undisturbing_ = false;  // this connection leaves the keys' idle times alone
};

}  // namespace rlctl
