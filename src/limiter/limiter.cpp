#include "limiter/limiter.h"

#include "base/error.h"
#include "limiter/client_limiter.h"
#include "limiter/key_setup.h"
#include "limiter/script_limiter.h"

namespace rlctl {

namespace {

std::unique_ptr<Limiter> make_caller(Redis& redis, ScriptCall& call, const ReplicaWait& wait = {}) {
  if (call.client_script() != nullptr) return std::make_unique<ClientLimiter>(redis, call);
  return std::make_unique<ScriptLimiter>(redis, call, wait);
}

// Two scripts that know each other by the uuid of the decision.
class FinishingLimiter final : public Limiter {
 public:
  FinishingLimiter(Redis& redis, ScriptCall& call, const ReplicaWait& wait)
      : call_(call),
        decider_(make_caller(redis, call, wait)),
        finisher_(make_caller(redis, *call.finish())) {}

  Task<Decision> decide(const Attempt& attempt) override {
    ticket_ = call_.new_ticket();
    Attempt known = attempt;
    known.ticket = ticket_;
    co_return co_await decider_->decide(known);
  }

  bool has_finish() const override { return true; }

  Task<Decision> finish(Attempt attempt) override {
    attempt.ticket = ticket_;
    co_return co_await finisher_->decide(attempt);
  }

 private:
  ScriptCall& call_;
  std::unique_ptr<Limiter> decider_;
  std::unique_ptr<Limiter> finisher_;
  std::string ticket_;
};

// Runs the set-up script before the first decision of each key.
class PreparedLimiter final : public Limiter {
 public:
  PreparedLimiter(Redis& redis, ScriptCall& call, std::unique_ptr<Limiter> limiter)
      : setup_(call.key_setup()),
        runner_(make_caller(redis, *call.setup())),
        limiter_(std::move(limiter)) {}

  Task<Decision> decide(const Attempt& attempt) override {
    std::string problem = co_await setup_.prepare(*runner_, attempt);
    if (problem.empty()) co_return co_await limiter_->decide(attempt);
    Decision decision;
    decision.outcome = Outcome::failed;
    decision.problem = std::move(problem);
    co_return decision;
  }

  bool has_finish() const override { return limiter_->has_finish(); }
  Task<Decision> finish(Attempt attempt) override { return limiter_->finish(attempt); }

 private:
  KeySetup& setup_;
  std::unique_ptr<Limiter> runner_;
  std::unique_ptr<Limiter> limiter_;
};

}  // namespace

Task<> set_up_keys(Redis& redis, ScriptCall& call, std::vector<std::string> keys) {
  if (call.setup() == nullptr) co_return;
  const bool needs_time = call.setup()->script().manifest.is_told_time();
  if (needs_time && call.time() != TimeSource::real) co_return;  // a decision brings the time
  const std::unique_ptr<Limiter> runner = make_caller(redis, *call.setup());
  for (const std::string& key : keys) {
    const std::string problem = co_await call.key_setup().prepare(*runner, {key});
    if (!problem.empty()) throw Error(Exit::target, problem, "check the script and its arguments");
  }
}

Task<Decision> Limiter::finish(Attempt) {
  Decision none;
  none.outcome = Outcome::failed;
  co_return none;
}

std::unique_ptr<Limiter> make_limiter(Redis& redis, ScriptCall& call, const ReplicaWait& wait) {
  std::unique_ptr<Limiter> limiter;
  if (call.finish() == nullptr)
    limiter = make_caller(redis, call, wait);
  else
    limiter = std::make_unique<FinishingLimiter>(redis, call, wait);
  if (call.setup() == nullptr) return limiter;
  return std::make_unique<PreparedLimiter>(redis, call, std::move(limiter));
}

}  // namespace rlctl
