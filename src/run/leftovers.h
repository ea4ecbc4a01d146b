// The keys that a run has stored in the user's Redis: `rlctl:RUN:…`, and what a limiter makes of
// that name, such as `{rlctl:RUN:…}:value`. None may remain, and the user is told of those that do.
// One thread.
#pragma once

#include <string>

#include "io/redis/endpoint.h"
#include "io/redis/redis.h"
#include "io/task.h"

namespace rlctl {

// "rlctl:RUN:"
std::string key_prefix_of_run(const std::string& run_id);

// Removes them. Empty if none remains; otherwise which ones may remain, why, and the command that
// removes them, as the user of this endpoint: a sentence without a final stop.
Task<std::string> remove_keys_of_run(Redis& redis, std::string run_id, Endpoint endpoint);

}  // namespace rlctl
