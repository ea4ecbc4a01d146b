// A client's limiter for explore's tests, with a race between reading and counting.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "run/explore/step_program.h"

namespace rlctl::test {

// Reads the count; then counts, and is admitted iff what it read was below the limit. Refused
// attempts count too. `trims`: no-ops before, shared by all.
class ReadThenAct : public StepProgram {
 public:
  ReadThenAct(std::int64_t limit, std::size_t trims) : limit_(limit), trims_(trims) {}

  ProgramStep next(const ProgramStart&, std::span<const Reply> replies) override {
    if (replies.size() < trims_) return {{"DEL", "nothing"}, {}, {}};
    if (replies.size() == trims_) return {{"GET", "count"}, {}, {}};
    if (replies.size() == trims_ + 1) return {{"INCR", "count"}, {}, {}};
    const Reply& read = replies[trims_];
    const std::int64_t count = read.is_nil() ? 0 : std::stoll(read.text);
    return {{}, count < limit_ ? Outcome::allowed : Outcome::denied, {}};
  }

 private:
  std::int64_t limit_;
  std::size_t trims_;
};

}  // namespace rlctl::test
