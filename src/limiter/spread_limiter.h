// Several targets that decide together (replicas, regions, nodes), for one virtual user: each
// request goes to one of them. One thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.h"
#include "limiter/limiter.h"
#include "policy/target.h"

namespace rlctl {

// Chooses the target of each request. All users of a policy share one, so that requests go round
// among the users too. By client: a hash of address, name and number, the same on every machine.
class TargetChoice {
 public:
  TargetChoice(TargetSpread spread, std::size_t targets, std::uint64_t seed);

  std::uint8_t next(const Identity* client);

 private:
  TargetSpread spread_;
  std::size_t targets_;
  std::size_t last_ = 0;
  Random random_;
};

class SpreadLimiter final : public Limiter {
 public:
  // A limiter for each target, in their order. Borrows the choice.
  SpreadLimiter(std::vector<Limiter*> limiters, TargetChoice& choice)
      : limiters_(std::move(limiters)), choice_(choice) {}

  Task<Decision> decide(Attempt attempt) override;

 private:
  std::vector<Limiter*> limiters_;
  TargetChoice& choice_;
};

}  // namespace rlctl
