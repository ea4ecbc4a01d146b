// rlctl hit --target: gets real decisions from an HTTP service.
#pragma once

#include "base/error.h"
#include "cli/options/http_options.h"

namespace rlctl {

// Sends `count` requests, one after another, and prints each answer. Exit::violated if one was
// denied; Error(Exit::target) at the first answer that is neither allowed nor denied.
Exit hit_http(const HttpOptions& options, std::int64_t timeout_us, std::int64_t count, bool json);

}  // namespace rlctl
