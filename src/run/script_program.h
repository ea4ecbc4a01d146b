// ScriptProgram: a limiter's script as a StepProgram. One that runs on the client is stepped
// through by its interpreter; one that Redis runs is a single EVALSHA, loaded again when Redis has
// forgotten it. ScriptRunner is the Lua of a RedisModel.
//
// Borrows the call. Error(Exit::usage) when a script does not compile; whatever else goes wrong is
// an outcome `unknown` with its reason. One thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "limiter/client_script.h"
#include "limiter/script_call.h"
#include "run/step_program.h"

namespace rlctl {

class ScriptProgram final : public StepProgram {
 public:
  // The call's times are those of attempts (TimeSource::modelled). The n-th client's own clock is n
  // times `clock_spread_us` ahead.
  ScriptProgram(ScriptCall& call, std::string key, std::int64_t clock_spread_us = 0)
      : call_(call), key_(std::move(key)), clock_spread_us_(clock_spread_us) {}

  ProgramStep next(const ProgramStart& start, std::span<const Reply> replies) override;

  // Clients that hold a uuid differ in how Redis sorts it.
  bool clients_alike() const {
    return clock_spread_us_ == 0 && !call_.script().manifest.takes(ArgumentKind::uuid);
  }

 private:
  Attempt attempt_of(const ProgramStart& start) const;
  const ScriptCall::Values& values_of(const ProgramStart& start);
  ProgramStep next_on_client(const ProgramStart& start, std::span<const Reply> replies);
  ProgramStep next_on_server(const ProgramStart& start, std::span<const Reply> replies);
  ProgramStep decided(const ProgramStart& start, const Reply& result);

  ScriptCall& call_;
  std::string key_;
  std::int64_t clock_spread_us_;
  std::map<std::pair<std::size_t, std::int64_t>, ScriptCall::Values> values_;
};

class ScriptRunner final : public ScriptEvaluator {
 public:
  Reply evaluate(const std::string& text, const Words& keys, const Words& args,
                 const std::function<Reply(const Words&)>& call) override;

 private:
  std::map<std::string, std::unique_ptr<ClientScript>> scripts_;  // by text
};

}  // namespace rlctl
