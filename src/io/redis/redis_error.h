// What Redis says when it refuses, turned into what a person should do; and whether the refused
// command may have run. Any thread.
#pragma once

#include <string_view>

#include "io/redis/redis.h"

namespace rlctl {

// The first word: "NOAUTH", "WRONGTYPE", "ERR" …
std::string_view error_code(const Reply& error);

bool is_permission_error(const Reply& reply);

// True for refusals that Redis gives before it runs anything (READONLY, LOADING, OOM at the start,
// NOAUTH …): such a command is certainly not executed. A script's own error is not one of them,
// but for the refusals that all its writes get or only its first one can (READONLY, OOM, MISCONF,
// NOREPLICAS: scriptVerifyWriteCommandAllow and scriptVerifyOOM in Redis' script.c): a script that
// ends with one of these has written nothing.
bool refused_before_running(const Reply& error);

// The reply, or an Error(Exit::target) that says what to do: for lost exchanges and error replies.
const Reply& reply_or_throw(const Exchange& exchange);

}  // namespace rlctl
