// ScriptLimiter: a script that Redis runs as one atomic step, or a command that limits by itself,
// for the virtual users of one connection. Borrows the connection and the call, which must outlive
// it. If Redis replies NOSCRIPT, it loads the script and repeats the command. The script certainly
// did not run before, so this is one operation. Nothing else is repeated.
//
// With a ReplicaWait, WAIT follows the script in the same pass, so on the same connection: on
// another one Redis knows of no write and confirms nothing at once. An admission that was not
// confirmed is `unknown`: it was made, but a failover may forget it, so the client does not let the
// request in.
//
// A script may write and then reply with an error of its own, in the words of Redis. So an error
// means "not executed" only if the script's text shows that it is not the script's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/redis/redis.h"
#include "limiter/limiter.h"
#include "limiter/script_call.h"

namespace rlctl {

// The errors with which a script may reply by itself, as far as its text shows: error_reply with a
// literal, or anything (it builds a table with `err`, catches the errors of commands, decodes
// data). An error that it raises is not one of them: Redis marks those. A script that hides the
// name `err` from a reader ('e' .. 'rr') hides it from here too.
class OwnErrors {
 public:
  explicit OwnErrors(std::string_view script);
  bool may_be(std::string_view error) const;

 private:
  std::vector<std::string> beginnings_;  // an empty one: any text
};

class ScriptLimiter final : public Limiter {
 public:
  ScriptLimiter(Redis& redis, ScriptCall& call, const ReplicaWait& wait = {});

  Task<Decision> decide(const Attempt& attempt) override;

 private:
  struct Asking;
  class Evaluation;
  Task<bool> load(Asking& asking);
  bool is_missing(const Exchange& exchange);
  void ask_replicas(Asking& asking);
  std::string why_unconfirmed(const Asking& asking) const;
  Decision decision_of(const Asking& asking, const Attempt& attempt);
  bool is_refusal(const Reply& error) const;

  Redis& redis_;
  ScriptCall& call_;
  OwnErrors own_errors_;
  bool loads_;            // it is a script, and not a command
  bool load_first_;       // NOSCRIPT would not prove that the script did not run
  std::string rendered_;  // the last command
  ReplicaWait wait_;
  std::string wait_wire_;  // empty: nobody waits
};

// Error(Exit::usage) if the script is not one that can be followed by WAIT.
void require_one_step(const Script& script, const ReplicaWait& wait);

// SCRIPT LOAD. Throws Error(Exit::target) if Redis refuses, also if the script does not compile. Of
// a command: if Redis says that it has no such command, or no such function.
Task<> load_script_into(Redis& redis, const Script& script);

// Why a script failed in Redis, for people: the message without Redis's names for the script, and
// the line of its file, also if rlctl has wrapped it: "WRONGTYPE Operation against ... (line 12 of
// lua/fixed.lua)". Escaped.
std::string script_error_in_words(std::string_view error, const Script& script);

// What to do about an answer that is no decision.
std::string script_hint(const Decision& decision);

}  // namespace rlctl
