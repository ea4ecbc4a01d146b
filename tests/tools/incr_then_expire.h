// A client's limiter for explore's tests: INCR, then EXPIRE on the first; admits up to the limit.
#pragma once

#include <cstdint>
#include <span>

#include "run/explore/step_program.h"

namespace rlctl::test {

class IncrThenExpire : public StepProgram {
 public:
  explicit IncrThenExpire(std::int64_t limit) : limit_(limit) {}

  ProgramStep next(const ProgramStart&, std::span<const Reply> replies) override {
    if (replies.empty()) return {{"INCR", "count"}, {}, {}};
    if (replies[0].integer == 1 && replies.size() == 1) return {{"EXPIRE", "count", "60"}, {}, {}};
    return {{}, replies[0].integer <= limit_ ? Outcome::allowed : Outcome::denied, {}};
  }

 private:
  std::int64_t limit_;
};

}  // namespace rlctl::test
