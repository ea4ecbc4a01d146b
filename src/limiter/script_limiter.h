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

// Why a script failed in Redis, for people: the message without Redis's names for the script, and
// the line of its file, also if rlctl has wrapped it: "WRONGTYPE Operation against ... (line 12 of
// lua/fixed.lua)". Escaped.
std::string script_error_in_words(std::string_view error, const Script& script);

}  // namespace rlctl
