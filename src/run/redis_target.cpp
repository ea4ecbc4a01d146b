#include "run/redis_target.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "io/redis/server_info.h"
#include "limiter/limiter.h"
#include "limiter/script_limiter.h"
#include "run/leftovers.h"
#include "run/lockstep.h"

namespace rlctl {

void check_wait(const ReplicaWait& wait, const std::optional<EmbeddedSpec>& own,
                std::int64_t timeout_us) {
  if (wait.replicas == 0) return;
  if (wait.timeout_us >= timeout_us)
    throw Error(Exit::usage,
                "wait: its time-out must be shorter than that of Redis, which is " +
                    format_duration(timeout_us),
                "set a shorter one, or a longer --timeout");
  if (own && (!own->cluster || own->cluster->replicas < wait.replicas * own->cluster->masters))
    throw Error(Exit::usage, "wait: the private Redis has too few replicas to confirm anything",
                "start it with replicas: --embedded cluster:3+3");
}

class RedisTarget::Users final : public TargetUsers {
 public:
  Users(RedisTarget& target, PolicyPlay& policy, std::size_t users)
      : target_(target), policy_(policy), users_(users) {}
  ~Users() override { target_.free_.insert(target_.free_.end(), alone_.begin(), alone_.end()); }
  Users(const Users&) = delete;
  Users& operator=(const Users&) = delete;

  void add(Redis& redis) {
    limiters_.push_back(make_limiter(redis, policy_.call(), policy_.spec().wait));
  }

  // WAIT holds up what follows it on its connection.
  void add_waiting(Redis& redis) {
    alone_.push_back(&redis);
    add(redis);
  }

  // Adds a user with its own connection, which a crash can reset; in lockstep if there is a gate.
  void add_alone(Redis& redis) {
    alone_.push_back(&redis);
    auto mortal = std::make_unique<CrashPoint::User>(target_.crash_point_, redis);
    Redis* speaks_through = mortal.get();
    Lockstep::User* step = gate_ ? &gate_->add(*mortal) : nullptr;
    if (step != nullptr) speaks_through = step;
    std::unique_ptr<Limiter> limiter = make_limiter(*speaks_through, policy_.call());
    limiter = std::make_unique<MortalLimiter>(std::move(mortal), std::move(limiter));
    if (step != nullptr) limiter = std::make_unique<LockstepLimiter>(*step, std::move(limiter));
    limiters_.push_back(std::move(limiter));
  }

  void go_in_lockstep(std::size_t gather) { gate_.emplace(target_.loop_, gather); }

  std::vector<Limiter*> limiters() override {
    std::vector<Limiter*> limiters;
    for (std::size_t i = 0; i < users_; ++i)
      limiters.push_back(limiters_[i % limiters_.size()].get());
    return limiters;
  }

 private:
  RedisTarget& target_;
  PolicyPlay& policy_;
  std::size_t users_;
  std::optional<Lockstep> gate_;
  std::vector<Redis*> alone_;
  std::vector<std::unique_ptr<Limiter>> limiters_;  // users take turns in them
};

RedisTarget::RedisTarget(Loop& loop, std::optional<Endpoint> endpoint, EmbeddedSpec embedded,
                         std::string run_id)
    : loop_(loop),
      spec_(std::move(embedded)),
      run_id_(std::move(run_id)),
      embedded_(!endpoint),
      endpoint_(std::move(endpoint)),
      crash_point_(loop) {}

Task<> RedisTarget::open() {
  if (embedded_) {
    server_.emplace(spec_);
    co_await server_->get_ready(loop_);
    endpoint_ = server_->endpoint();
  }
  endpoint_->timeout_us = timeout_us_;
  deployment_.emplace(loop_, *endpoint_);
  co_await deployment_->discover();
  control_ = co_await connect();
  if (proxy_seed_) {  // past which the control connection goes
    endpoint_->detour = proxy_ = std::make_shared<Proxy>(loop_, *proxy_seed_);
    deployment_.emplace(loop_, *endpoint_);
    co_await deployment_->discover();
  }
  faults_.emplace(loop_, *control_, server_ ? &*server_ : nullptr, crash_point_, proxy_.get());
  server_name_ = co_await server_version(*control_);
}

// Owned before it connects: a connection that fails must outlive the coroutine that it resumes.
Task<RedisClient*> RedisTarget::connect() {
  connections_.push_back(deployment_->client());
  RedisClient* connection = connections_.back().get();
  co_await connection->connect();
  co_return connection;
}

Task<> RedisTarget::share(std::size_t connections) {
  while (shared_.size() < std::min<std::size_t>(connections, kSharedConnections))
    shared_.push_back(co_await connect());
}

Task<> RedisTarget::keep_free(std::size_t connections) {
  while (free_.size() < connections) free_.push_back(co_await connect());
}

void RedisTarget::add_stepwise(Users& users, UserPlan plan) {
  if (plan.lockstep) users.go_in_lockstep(plan.gather);
  for (std::size_t i = 0; i < plan.users; ++i) users.add_alone(*take_free());
}

Redis* RedisTarget::take_free() {
  Redis* taken = free_.back();
  free_.pop_back();
  return taken;
}

Task<std::unique_ptr<TargetUsers>> RedisTarget::users(PolicyPlay& policy, UserPlan plan) {
  auto users = std::make_unique<Users>(*this, policy, plan.users);
  if (deployment_->is_cluster())
    for (const std::string& key : policy.log().keys) policy.call().require_one_slot(key);
  co_await set_up_keys(*control_, policy.call(), policy.log().keys);
  if (policy.runs_on_client()) {
    co_await keep_free(plan.users);
    add_stepwise(*users, plan);
    co_return users;
  }
  check_wait(policy.spec().wait, embedded_ ? std::optional(spec_) : std::nullopt,
             endpoint_->timeout_us);
  const bool waits = policy.spec().wait.replicas > 0;
  if (waits)
    co_await keep_free(plan.users);
  else
    co_await share(plan.users);
  co_await load_script_into(*control_, policy.script());
  if (policy.script().finish) co_await load_script_into(*control_, *policy.script().finish);
  const bool alone = waits || policy.has_finish() || policy.call().setup() != nullptr;
  const std::size_t limiters = alone ? plan.users : std::min(plan.users, shared_.size());
  for (std::size_t i = 0; i < limiters; ++i) {
    if (waits)
      users->add_waiting(*take_free());
    else
      users->add(*shared_[i % shared_.size()]);
  }
  co_return users;
}

// After a failover, a Sentinel's service is on another server.
std::int64_t RedisTarget::servers() const {
  if (!deployment_) return 1;
  if (deployment_->is_cluster())
    return static_cast<std::int64_t>(deployment_->topology().map().shards.size());
  return endpoint_->sentinels.empty() ? 1 : 2;
}

bool RedisTarget::needs_hash_tags() const { return deployment_ && deployment_->is_cluster(); }

std::string RedisTarget::key_prefix() const {
  return embedded_ ? std::string() : key_prefix_of_run(run_id_);
}

// An embedded server ends with rlctl.
Task<std::string> RedisTarget::close() {
  if (embedded_ || keeps_keys_ || !control_) co_return std::string();
  co_return co_await remove_keys_of_run(*control_, run_id_, *endpoint_);
}

}  // namespace rlctl
