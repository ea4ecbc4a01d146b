// ClientLimiter: runs a script step by step in rlctl. Each command is a round trip of its own, so
// other clients' commands may run in between. Borrows the connection and the call (run = client),
// which must outlive it. During a decision this user needs the connection for itself, because of
// MULTI and WATCH. One thread.
//
// The decision is `unknown` if an answer did not come, or if the script failed after it may have
// written. It is `failed` if no byte was sent or certainly nothing was written. If a script leaves
// MULTI or WATCH open, rlctl closes it after the script.
#pragma once

#include "io/redis/redis.h"
#include "limiter/client_script.h"
#include "limiter/command_trail.h"
#include "limiter/limiter.h"
#include "limiter/script_call.h"

namespace rlctl {

class ClientLimiter final : public Limiter {
 public:
  ClientLimiter(Redis& redis, ScriptCall& call)
      : redis_(redis), call_(call), run_(*call.client_script()) {}

  Task<Decision> decide(const Attempt& attempt) override;

 private:
  Task<ScriptStep> play(ScriptStep step, CommandTrail& trail, Decision& decision);
  Task<> close(std::string_view command);

  Redis& redis_;
  ScriptCall& call_;
  ClientScript::Run run_;
};

}  // namespace rlctl
