#include "run/redis_target.h"

#include <algorithm>
#include <utility>

#include "limiter/keyspace.h"
#include "limiter/script_limiter.h"

namespace rlctl {
namespace {

// More does not make one Redis faster, and less hides what races need.
constexpr std::size_t kSharedConnections = 50;

}  // namespace

class RedisTarget::Users final : public TargetUsers {
 public:
  Users(RedisTarget& target, std::vector<Redis*> alone)
      : target_(target), alone_(std::move(alone)) {}
  ~Users() override { target_.free_.insert(target_.free_.end(), alone_.begin(), alone_.end()); }
  Users(const Users&) = delete;
  Users& operator=(const Users&) = delete;

  void add(std::unique_ptr<Limiter> limiter) { limiters_.push_back(std::move(limiter)); }

  std::vector<Limiter*> limiters() override {
    std::vector<Limiter*> limiters;
    for (const auto& limiter : limiters_) limiters.push_back(limiter.get());
    return limiters;
  }

 private:
  RedisTarget& target_;
  std::vector<Redis*> alone_;
  std::vector<std::unique_ptr<Limiter>> limiters_;
};

RedisTarget::RedisTarget(Loop& loop, std::optional<Endpoint> endpoint, std::string program,
                         std::string run_id)
    : loop_(loop),
      program_(std::move(program)),
      run_id_(std::move(run_id)),
      embedded_(!endpoint),
      endpoint_(std::move(endpoint)) {}

Task<> RedisTarget::open() {
  if (embedded_) {
    server_.emplace(program_);
    endpoint_ = server_->endpoint();
  }
  control_ = co_await connect();
}

Task<std::unique_ptr<Connection>> RedisTarget::connect() {
  auto connection = std::make_unique<Connection>(loop_);
  co_await connection->connect(*endpoint_);
  co_return connection;
}

Task<> RedisTarget::share(std::size_t connections) {
  while (shared_.size() < std::min(connections, kSharedConnections))
    shared_.push_back(co_await connect());
}

Task<> RedisTarget::keep_free(std::size_t connections) {
  while (free_.size() < connections) {
    exclusive_.push_back(co_await connect());
    free_.push_back(exclusive_.back().get());
  }
}

Task<std::unique_ptr<TargetUsers>> RedisTarget::users(PolicyPlay& policy, UserPlan plan) {
  co_await share(plan.users);
  co_await load_script_into(*control_, policy.script());
  auto users = std::make_unique<Users>(*this, std::vector<Redis*>{});
  for (std::size_t i = 0; i < plan.users; ++i)
    users->add(std::make_unique<ScriptLimiter>(*shared_[i % shared_.size()], policy.call()));
  co_return users;
}

std::string RedisTarget::key_prefix() const {
  return embedded_ ? std::string() : "rlctl:" + run_id_ + ":";
}

// An embedded server ends with us; on a Redis of the user's nothing may stay.
Task<> RedisTarget::close() {
  if (embedded_ || !control_ || !control_->is_open()) co_return;
  KeyScan scan(*control_, key_prefix() + "*");
  while (!scan.done()) {
    const std::vector<std::string> found = co_await scan.next();
    co_await remove_keys(*control_, found);
  }
}

}  // namespace rlctl
