// Turns an error reply of Redis into advice for a person, and tells whether the refused command may
// have run. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "io/redis/redis.h"

namespace rlctl {

// The first word: "NOAUTH", "WRONGTYPE", "ERR" …
std::string_view error_code(const Reply& error);

bool is_permission_error(const Reply& reply);
// The command is allowed, but not with this key.
bool is_key_permission_error(const Reply& reply);

// True if Redis refused the command before it ran anything (READONLY, LOADING, OOM at the start,
// NOAUTH …): such a command is certainly not executed. A script's own error does not count, with
// four exceptions: READONLY, OOM, MISCONF and NOREPLICAS apply to all writes of a script or can hit
// only its first one (scriptVerifyWriteCommandAllow and scriptVerifyOOM in Redis' script.c), so a
// script that ends with one of them has written nothing.
bool refused_before_running(const Reply& error);

// What to do about an error reply with this text, for a person; empty: not known. A permission that
// is missing is named, with the rule that grants it.
std::string hint_for_error(std::string_view text);
// The error with what to do about it, for the middle of a sentence.
std::string error_with_hint(std::string_view text);

// Returns the reply. For a lost exchange or an error reply, throws Error(Exit::target) with advice;
// `not_allowed`: the exit code for a right that is missing.
const Reply& reply_or_throw(const Exchange& exchange, Exit not_allowed = Exit::target);

}  // namespace rlctl
