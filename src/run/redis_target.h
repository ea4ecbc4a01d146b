// RedisTarget: the user's Redis or an embedded one, and the connections to it. Users of scripts
// that Redis runs share connections; a user whose script runs step by step has its own connection.
#pragma once

#include <optional>
#include <string>

#include "io/loop.h"
#include "io/redis/deployment/deployment.h"
#include "io/redis/deployment/embedded_redis.h"
#include "run/crash_point.h"
#include "run/target.h"

namespace rlctl {

// Error(Exit::usage) if these replicas cannot confirm in time. `own`: a private Redis.
void check_wait(const ReplicaWait& wait, const std::optional<EmbeddedSpec>& own,
                std::int64_t timeout_us);

class RedisTarget final : public Target {
 public:
  // More do not make one Redis faster; fewer would hide races.
  static constexpr std::int64_t kSharedConnections = 50;

  // Without an endpoint: a private Redis, which open() starts.
  RedisTarget(Loop& loop, std::optional<Endpoint> endpoint, EmbeddedSpec embedded,
              std::string run_id);

  Task<> open() override;
  Task<std::unique_ptr<TargetUsers>> users(PolicyPlay& policy, UserPlan plan) override;
  std::string key_prefix() const override;
  bool names_keys() const override { return true; }
  bool needs_hash_tags() const override;
  std::string server() const override { return server_name_; }
  std::int64_t servers() const override;
  Task<std::string> close() override;

  // Makes close() leave the keys: other parts of a sharded run still use them.
  void keep_keys() { keeps_keys_ = true; }
  // Makes open() put a proxy between the clients and Redis, for the faults of the way.
  void go_through_proxy(std::uint64_t seed) { proxy_seed_ = seed; }
  // How long open() and the users wait for an answer.
  void wait_for_answers(std::int64_t timeout_us) { timeout_us_ = timeout_us; }

  RedisFaults* redis_faults() override { return faults_ ? &*faults_ : nullptr; }

  Deployment& deployment() { return *deployment_; }

 private:
  class Users;

  Task<RedisClient*> connect();
  Task<> share(std::size_t connections);
  Task<> keep_free(std::size_t connections);
  Redis* take_free();
  void add_stepwise(Users& users, UserPlan plan);

  Loop& loop_;
  EmbeddedSpec spec_;
  std::string run_id_;
  bool embedded_;
  bool keeps_keys_ = false;
  std::optional<EmbeddedRedis> server_;
  std::optional<Endpoint> endpoint_;
  std::optional<Deployment> deployment_;
  std::string server_name_;
  CrashPoint crash_point_;
  std::optional<std::uint64_t> proxy_seed_;
  std::int64_t timeout_us_ = Endpoint{}.timeout_us;
  std::shared_ptr<Proxy> proxy_;
  std::vector<std::unique_ptr<RedisClient>> connections_;  // all of them
  RedisClient* control_ = nullptr;
  std::optional<RedisFaults> faults_;
  std::vector<RedisClient*> shared_;
  std::vector<Redis*> free_;  // each for one user at a time
};

}  // namespace rlctl
