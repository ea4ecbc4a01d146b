// ClientLimiter: a script that runs step by step in rlctl, each command a round trip of its own,
// with whatever others do in between. Borrows the connection and the call (run = client), which
// must outlive it. While it decides, the connection is this user's alone: MULTI and WATCH belong to
// it. One thread.
//
// The decision is unknown when an answer did not come, or when the script failed after it may have
// written; failed when no byte was sent or certainly nothing was written. What a script leaves open
// (MULTI without EXEC, WATCH) is closed after it.
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

  Task<Decision> decide(Attempt attempt) override;

 private:
  Task<ScriptStep> play(ScriptStep step, CommandTrail& trail, Decision& decision);
  Task<> close(std::string_view command);

  Redis& redis_;
  ScriptCall& call_;
  ClientScript::Run run_;
};

}  // namespace rlctl
