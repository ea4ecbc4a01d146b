// ScriptLimiter: a script that Redis runs as one atomic step. Borrows the connection and the call,
// which must outlive it. If Redis replies NOSCRIPT, it loads the script and repeats the command.
// The script certainly did not run before, so this is one operation. Nothing else is repeated.
#pragma once

#include <string>

#include "io/redis/redis.h"
#include "limiter/limiter.h"
#include "limiter/script_call.h"

namespace rlctl {

class ScriptLimiter final : public Limiter {
 public:
  ScriptLimiter(Redis& redis, ScriptCall& call) : redis_(redis), call_(call) {}

  Task<Decision> decide(Attempt attempt) override;

 private:
  Redis& redis_;
  ScriptCall& call_;
  std::string wire_;
};

// SCRIPT LOAD. Throws Error(Exit::target) if Redis refuses, also if the script does not compile.
Task<> load_script_into(Redis& redis, const Script& script);

}  // namespace rlctl
