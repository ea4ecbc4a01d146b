// StepProgram: what a client does, command by command, as a function of the replies it has got. A
// script run step by step, one that Redis runs whole, or a hand-made one in the tests: `explore`
// can't tell them apart. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/record.h"
#include "limiter/redis_model.h"

namespace rlctl {

// One decision of one client. Its clock is read once, when its first command is sent.
struct ProgramStart {
  std::size_t client = 0;
  std::int64_t now_us = 0;
};

// Either the next command, or the decision.
struct ProgramStep {
  Words command;
  Outcome outcome = Outcome::unknown;
  std::string problem;  // why the outcome is unknown, escaped

  bool has_ended() const { return command.empty(); }
};

class StepProgram {
 public:
  virtual ~StepProgram() = default;

  // Must give the same answer whenever it is asked the same.
  virtual ProgramStep next(const ProgramStart& start, std::span<const Reply> replies) = 0;
};

}  // namespace rlctl
