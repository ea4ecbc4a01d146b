// A user's limiter whose attempts run step by step together with those of others (run/lockstep.h).
// The limiter sends through `user`; this class tells the gate when an attempt begins and ends.
// Borrows the user. One thread.
#pragma once

#include <memory>
#include <utility>

#include "limiter/limiter.h"
#include "run/lockstep.h"

namespace rlctl {

class LockstepLimiter final : public Limiter {
 public:
  LockstepLimiter(Lockstep::User& user, std::unique_ptr<Limiter> limiter)
      : user_(user), limiter_(std::move(limiter)) {}

  Task<Decision> decide(Attempt attempt) override {
    user_.enter();
    Decision decision = co_await limiter_->decide(attempt);
    user_.leave();
    co_return decision;
  }

 private:
  Lockstep::User& user_;
  std::unique_ptr<Limiter> limiter_;
};

}  // namespace rlctl
