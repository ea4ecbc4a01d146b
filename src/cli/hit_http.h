// rlctl hit --target: real decisions of an HTTP service.
#pragma once

#include "base/error.h"
#include "cli/options/http_options.h"

namespace rlctl {

// Asks `count` times, one after the other, and prints each answer. Exit::violated when one was a
// denial; Error(Exit::target) at the first that is neither allowed nor denied.
Exit hit_http(const HttpOptions& options, std::int64_t timeout_us, std::int64_t count, bool json);

}  // namespace rlctl
