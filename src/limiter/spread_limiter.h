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
// Part `part` of `parts` of a run chooses for its own requests as one machine would for all.
class TargetChoice {
 public:
  TargetChoice(TargetSpread spread, std::size_t targets, std::uint64_t seed, std::size_t part = 1,
               std::size_t parts = 1);

  std::uint8_t next(const Identity* client);

 private:
  std::uint64_t drawn();

  TargetSpread spread_;
  std::size_t targets_;
  std::size_t part_;
  std::size_t parts_;
  std::size_t requests_ = 0;  // of this part
  Random random_;
};

class SpreadLimiter final : public Limiter {
 public:
  // A limiter for each target, in their order. Borrows the choice.
  SpreadLimiter(std::vector<Limiter*> limiters, TargetChoice& choice)
      : limiters_(std::move(limiters)), choice_(choice) {}

  Task<Decision> decide(const Attempt& attempt) override;

 private:
  std::vector<Limiter*> limiters_;
  TargetChoice& choice_;
};

}  // namespace rlctl
