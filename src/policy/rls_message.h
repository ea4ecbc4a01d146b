// The two messages of Envoy's rate limit service (envoy.service.ratelimit.v3, rls.proto), as gRPC
// carries them: RateLimitRequest is written, RateLimitResponse is read. Pure; a fault of the answer
// is text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/header_field.h"
#include "policy/rate_limit_fields.h"
#include "policy/target.h"

namespace rlctl {

// `hits`: what the request costs.
std::string rls_request(std::string_view domain, std::span<const RlsDescriptor> descriptors,
                        std::int64_t hits);

struct RlsAnswer {
  bool is_ok = false;  // OK, otherwise OVER_LIMIT; if there is no problem
  // limit_remaining and duration_until_reset of the descriptors; the longest of those that are over
  // their limit is the wait.
  RateLimitFields fields;
  std::string problem;  // why it is no decision: text, already escaped
};

// `trailers`: where the server says how the call ended.
RlsAnswer read_rls_answer(std::span<const HeaderField> trailers, std::string_view body);

}  // namespace rlctl
