// ScriptLimiter: a script that Redis runs as one atomic step. Borrows the connection and the call,
// which must outlive it. Loads the script when Redis says NOSCRIPT and repeats: that the script did
// not run is certain, so it is one operation. Nothing else is repeated.
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

// SCRIPT LOAD; Error(Exit::target) where Redis refuses, a script that does not compile included.
Task<> load_script_into(Redis& redis, const Script& script);

}  // namespace rlctl
