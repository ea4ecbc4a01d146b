// WatchFeed: keeps the data of watch up to date while a loop runs. It reconnects when the
// connection is lost, reads the keys at a pace that keeps to the allowed share of the server's
// time, and does what the user asks for in between. Owns all of that, but not the loop.
//
// Error(Exit::target) from connect() only: later problems are in status().trouble. One thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inspect/inspection.h"
#include "inspect/watch/live_overview.h"
#include "inspect/watch/sampler.h"
#include "inspect/watch/status.h"
#include "io/loop.h"
#include "io/redis/deployment/deployment.h"
#include "io/redis/deployment/replica.h"
#include "io/redis/paced_redis.h"
#include "limiter/registry.h"
#include "policy/policy.h"

namespace rlctl {

// What is watched, and how much it may cost the server.
struct WatchPlan {
  Registry registry;
  Layouts layouts;
  std::string pattern;
  std::string algorithm;  // empty: as the keys tell
  Policy policy;          // limit 0: not known
  LoadPacer pacer{0.01};  // of the server's time, for the looks
  std::int64_t interval_us = 1'000'000;
};

class WatchFeed {
 public:
  WatchFeed(Loop& loop, Deployment& redis, const WatchPlan& plan);

  // The first connection; Error(Exit::target).
  Task<> connect();

  // Reads the limiters until the loop ends. `wanted` returns the names of those that are shown.
  Task<> go_on(std::function<std::vector<std::string>()> wanted);

  // Scans all keys once, waits for an interval, then reads the `most` busiest limiters again, for
  // their rates. Ends early when the loop is interrupted.
  Task<> look_once(std::size_t most);

  // While it is paused, nothing is sent to the server.
  void pause(bool paused) { paused_ = paused; }

  Task<Inspection> inspect(std::string name, std::int64_t most_entries);

  // The keys of the limiter that exist now, including its block flag.
  Task<std::vector<std::string>> keys_of(std::string name);
  // Removes these keys and returns the result in words, escaped.
  Task<std::string> remove(std::vector<std::string> keys);

  std::vector<LimiterRow> rows() const { return overview_.rows(); }
  // Names: the blocked ones first, then the most used.
  std::vector<std::string> busiest(std::size_t most) const;
  WatchStatus status() const;
  PacedRedis& redis() { return redis_; }
  // If the server was one when it was connected.
  const std::optional<Replica>& replica() const { return replica_; }
  // RedisClient::unseen(), or what a replica lacked when it was connected.
  std::string unseen() const { return replica_ ? replica_->unseen() : connection_->unseen(); }
  // Of the keys that the scan has found: UnreadKeys::in_words().
  std::string unread() const { return sampler_.unread().in_words(); }
  const Policy& policy() const { return policy_; }

  // Increases with every change of what is shown.
  std::int64_t version() const { return version_; }

 private:
  Task<> step(std::vector<std::string> shown);
  Task<> look_at_limiters(std::vector<std::string> names);
  // What goes wrong is in status().trouble.
  Task<> told(Task<> look);
  std::int64_t server_now_us() const;

  Loop& loop_;
  Policy policy_;
  std::string pattern_;
  std::string server_;
  std::int64_t interval_us_;
  std::string connection_trouble_;
  std::string trouble_;
  Exit trouble_exit_ = Exit::target;  // valid if there is trouble
  std::unique_ptr<RedisClient> connection_;
  PacedRedis redis_;
  KeyReader reader_;
  LiveOverview overview_;
  LimiterSampler sampler_;
  std::int64_t looked_us_ = 0;  // last read of what is shown
  std::int64_t pass_began_us_ = 0;
  std::int64_t version_ = 0;
  bool further_next_ = false;  // the shown limiters had their turn
  bool paused_ = false;
  bool is_cluster_ = false;
  std::optional<Replica> replica_;
  bool undisturbing_ = false;  // this connection does not reset the keys' idle times
};

}  // namespace rlctl
