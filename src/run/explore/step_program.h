// StepProgram: what a client does, command by command, as a function of the replies it has
// received. It may be a script run step by step, a script that Redis runs as a whole, or a test
// program: `explore` treats all alike. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "log/record.h"
#include "run/explore/model/redis_model.h"

namespace rlctl {

// A client that sends more commands than this is in an endless loop.
inline constexpr std::size_t kMostProgramSteps = 10'000;

// One decision of one client. The client reads its clock once, when it sends its first command.
struct ProgramStart {
  std::size_t client = 0;
  std::int64_t now_us = 0;
};

// deciding: the command is one of the decision. holding: the client was admitted, and the command
// is the first of its finish; until then it holds what it was given. finishing: it is a later one.
enum class ProgramStage : std::uint8_t { deciding, holding, finishing };

// The next command; empty at the end.
struct ProgramStep {
  Words command;
  Outcome outcome = Outcome::unknown;  // when it is decided
  std::string problem;                 // why the outcome is unknown, escaped
  ProgramStage stage = ProgramStage::deciding;

  bool has_ended() const { return command.empty(); }
  bool has_decided() const { return has_ended() || stage != ProgramStage::deciding; }
};

class StepProgram {
 public:
  virtual ~StepProgram() = default;

  // Runs what must be there before the first client begins. Error(Exit::target) if it fails.
  using Execute = std::function<Reply(const Words&)>;
  virtual void set_up(std::int64_t /*now_us*/, const Execute&) {}

  // Must be deterministic: the same input gives the same result.
  virtual ProgramStep next(const ProgramStart& start, std::span<const Reply> replies) = 0;
};

}  // namespace rlctl
