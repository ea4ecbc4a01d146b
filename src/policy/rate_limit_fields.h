// What a response says about its limits, in the three dialects that are in use, read and written:
//
// - Retry-After (RFC 9110, section 10.2.3): seconds, or a date to be taken against the response's
//   own Date, so that the clocks of two machines are never compared;
// - RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers): Structured Fields Lists,
//   and the dictionary and number forms of its drafts 06 and 07;
// - X-RateLimit-* and RateLimit-Limit/-Remaining/-Reset: numbers; a reset that is an instant
//   (seconds or milliseconds since 1970, or a date) is told from a delay by its size.
//
// Pure. A field that is malformed is ignored as a whole, as the draft demands, and counted. Delays
// are µs from the response on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/header_field.h"
#include "log/record.h"

namespace rlctl {

// One member of RateLimit-Policy: "burst";q=100;w=60
struct QuotaPolicy {
  std::string name;
  std::int64_t quota = 0;
  std::int64_t window_us = kNoTime;  // w; kNoTime: not said
  std::string unit = "requests";     // qu
};

// One member of RateLimit: "burst";r=50;t=30
struct ServiceLimit {
  std::string name;
  std::int64_t remaining = 0;
  std::int64_t reset_us = kNoTime;  // t; kNoTime: not said
};

struct RateLimitFields {
  std::int64_t retry_after_us = kNoTime;  // of Retry-After
  std::vector<QuotaPolicy> policies;      // of RateLimit-Policy, or of a limit in a legacy field
  std::vector<ServiceLimit> limits;       // of RateLimit, or of the legacy fields
  std::vector<std::string> malformed;     // names of fields that had to be ignored

  // The least that any of them leaves; -1: none says.
  std::int64_t remaining() const;
  // Retry-After, which takes precedence; without it the longest reset of an exhausted limit.
  std::int64_t wait_us() const;
  // The longest reset of an exhausted limit; kNoTime: none says.
  std::int64_t exhausted_reset_us() const;
};

// Is it one of the fields above, or Date? For a client that keeps only what is read.
bool is_rate_limit_field(std::string_view name);

// now_us stands in for a Date that the response does not have. Fields of the same name are one
// list, as RFC 9110 section 5.3 has it. The legacy fields count only without the current ones.
RateLimitFields read_rate_limit_fields(std::span<const HeaderField> fields, std::int64_t now_us);

// "61": seconds, rounded up, since who comes earlier than he must is denied again. At least 0.
std::string format_retry_after(std::int64_t wait_us);
// `"burst";q=100;w=60, "day";q=5000;w=86400`; windows are rounded up to seconds, 1 at least.
std::string format_rate_limit_policy(std::span<const QuotaPolicy> policies);
// `"burst";r=50;t=30`; resets are rounded up to seconds.
std::string format_rate_limit(std::span<const ServiceLimit> limits);

}  // namespace rlctl
