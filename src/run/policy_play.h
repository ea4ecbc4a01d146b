// PolicyPlay: a policy of a scenario, ready to be played: its script with its limit, its contract,
// and the log for its decisions. Throws Error(Exit::usage) if script, policy and clock do not fit
// together.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "limiter/registry.h"
#include "limiter/script_call.h"
#include "log/record.h"
#include "scenario/scenario.h"

namespace rlctl {

// An HTTP service does not report the resolution of its clock; nginx and most others use
// milliseconds.
inline constexpr std::int64_t kUnknownClockUs = 1'000;

class PolicyPlay {
 public:
  // Over HTTP there is no script; the contract comes from the scenario.
  PolicyPlay(const PolicySpec& spec, const Registry& registry, TargetKind target, TimeSource time);

  const PolicySpec& spec() const { return spec_; }
  bool has_script() const { return script_.has_value(); }
  const Script& script() const { return *script_; }
  ScriptCall& call() { return *call_; }
  bool has_finish() const { return script_ && script_->finish != nullptr; }
  bool runs_on_client() const { return script_ && script_->manifest.run == RunPlace::client; }

  Log& log() { return log_; }

 private:
  void choose_script(const Registry& registry, TimeSource time);

  const PolicySpec& spec_;
  std::optional<Script> script_;
  std::unique_ptr<ScriptCall> call_;
  Log log_;
};

}  // namespace rlctl
