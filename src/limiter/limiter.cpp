#include "limiter/limiter.h"

#include "limiter/client_limiter.h"
#include "limiter/script_limiter.h"

namespace rlctl {

namespace {

std::unique_ptr<Limiter> make_caller(Redis& redis, ScriptCall& call) {
  if (call.client_script() != nullptr) return std::make_unique<ClientLimiter>(redis, call);
  return std::make_unique<ScriptLimiter>(redis, call);
}

// Two scripts that know each other by the uuid of the decision.
class FinishingLimiter final : public Limiter {
 public:
  FinishingLimiter(Redis& redis, ScriptCall& call)
      : call_(call),
        decider_(make_caller(redis, call)),
        finisher_(make_caller(redis, *call.finish())) {}

  Task<Decision> decide(Attempt attempt) override {
    ticket_ = call_.new_ticket();
    attempt.ticket = ticket_;
    co_return co_await decider_->decide(attempt);
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

}  // namespace

Task<Decision> Limiter::finish(Attempt) {
  Decision none;
  none.outcome = Outcome::failed;
  co_return none;
}

std::unique_ptr<Limiter> make_limiter(Redis& redis, ScriptCall& call) {
  if (call.finish() == nullptr) return make_caller(redis, call);
  return std::make_unique<FinishingLimiter>(redis, call);
}

}  // namespace rlctl
