// Creates one virtual user's limiter for a script: run by Redis as one step, or step by step here,
// as its manifest says. Borrows both arguments.
#pragma once

#include <memory>

#include "io/redis/redis.h"
#include "limiter/limiter.h"
#include "limiter/script_call.h"

namespace rlctl {

std::unique_ptr<Limiter> make_limiter(Redis& redis, ScriptCall& call);

}  // namespace rlctl
