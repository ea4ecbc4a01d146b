// ScriptProgram: a limiter's script, and then its finish if it has one and the client was admitted,
// as a StepProgram. A script that runs on the client is executed step by step by its interpreter. A
// script that Redis runs is a single EVALSHA; if Redis has forgotten it, it is loaded again; a
// command is one step. A finish has the uuid and the time of its decision. ScriptRunner is the Lua
// interpreter of a RedisModel.
//
// Borrows the call. Error(Exit::usage) if a script does not compile; any other failure is an
// outcome `unknown` with its reason. One thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "limiter/client_script.h"
#include "limiter/script_call.h"
#include "run/explore/step_program.h"

namespace rlctl {

class ScriptProgram final : public StepProgram {
 public:
  // The call must use TimeSource::modelled: it takes its times from the attempts. The clock of
  // client n is n times `clock_spread_us` ahead.
  ScriptProgram(ScriptCall& call, std::string key, std::int64_t clock_spread_us = 0)
      : call_(call), key_(std::move(key)), clock_spread_us_(clock_spread_us) {}

  // The set-up script of the limiter, if it has one.
  void set_up(std::int64_t now_us, const Execute& execute) override;
  ProgramStep next(const ProgramStart& start, std::span<const Reply> replies) override;

  // Clients with a uuid are not alike, because Redis sorts by it.
  bool clients_alike() const {
    return clock_spread_us_ == 0 && !call_.script().manifest.takes(ArgumentKind::uuid);
  }

 private:
  // The parts of an attempt that must not change: they are made once.
  struct Prepared {
    std::string ticket;
    ScriptCall::Values values, finish;
  };
  // A script after some replies: its next command, or its result and the replies that are left.
  struct Played {
    Words command;
    Reply result;
    std::span<const Reply> rest;
  };

  Attempt attempt_of(const ProgramStart& start) const;
  const Prepared& prepared(const ProgramStart& start);
  static Played play(ScriptCall& call, const ScriptCall::Values& values,
                     std::span<const Reply> replies);
  static Played play_on_server(const Script& script, const ScriptCall::Values& values,
                               std::span<const Reply> replies);
  ProgramStep decided(const ProgramStart& start, const Reply& result);

  ScriptCall& call_;
  std::string key_;
  std::int64_t clock_spread_us_;
  std::map<std::pair<std::size_t, std::int64_t>, Prepared> prepared_;
  std::optional<ScriptCall::Values> set_up_with_;
};

class ScriptRunner final : public ScriptEvaluator {
 public:
  Reply evaluate(const std::string& text, const Words& keys, const Words& args,
                 const std::function<Reply(const Words&)>& call) override;

 private:
  std::map<std::string, std::unique_ptr<ClientScript>> scripts_;  // by text
};

}  // namespace rlctl
