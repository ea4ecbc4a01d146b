// Reads and writes the rate limit fields of a response, in the three dialects in use:
//
// - Retry-After (RFC 9110, section 10.2.3): seconds, or a date, relative to the response's
//   own Date, so that clocks of two machines are never compared;
// - RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers): Structured Fields Lists,
//   and the dictionary and number forms of its drafts 06 and 07;
// - X-RateLimit-* and RateLimit-Limit/-Remaining/-Reset: numbers. A reset may be a delay or
//   an instant (seconds or milliseconds since 1970, or a date); the size of the number decides.
//
// Pure. A malformed field is ignored completely, as the draft requires, and listed in `malformed`.
// Delays are µs, counted from the response.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/header_field.h"
#include "base/units.h"

namespace rlctl {

// One member of RateLimit-Policy: "burst";q=100;w=60
struct QuotaPolicy {
  std::string name;
  std::int64_t quota = 0;
  std::int64_t window_us = kNoTime;  // w; kNoTime: not given
  std::string unit = "requests";     // qu
};

// One member of RateLimit: "burst";r=50;t=30
struct ServiceLimit {
  std::string name;
  std::int64_t remaining = 0;
  std::int64_t reset_us = kNoTime;  // t; kNoTime: not given
};

struct RateLimitFields {
  std::int64_t retry_after_us = kNoTime;  // of Retry-After
  bool retry_date_is_over = false;        // it is a date, and not a later one
  std::vector<QuotaPolicy> policies;      // of RateLimit-Policy, or of a limit in a legacy field
  std::vector<ServiceLimit> limits;       // of RateLimit, or of the legacy fields
  std::vector<std::string> malformed;     // names of the ignored fields

  // The smallest number remaining in any limit; -1: not given.
  std::int64_t remaining() const;
  // Retry-After if given, otherwise the longest reset of an exhausted limit.
  std::int64_t wait_us() const;
  // The longest reset of an exhausted limit; kNoTime: not given.
  std::int64_t exhausted_reset_us() const;
};

// True for the fields above and Date. For clients that keep only the fields that are read.
bool is_rate_limit_field(std::string_view name);

// now_us is used if the response has no Date. Fields of the same name form one list (RFC 9110,
// section 5.3). The legacy fields are read only if the current ones are absent.
RateLimitFields read_rate_limit_fields(std::span<const HeaderField> fields, std::int64_t now_us);

// "61": seconds, rounded up, because a client that retries too early is denied again. At least 0.
std::string format_retry_after(std::int64_t wait_us);
// `"burst";q=100;w=60, "day";q=5000;w=86400`; windows are rounded up to seconds, at least 1.
std::string format_rate_limit_policy(std::span<const QuotaPolicy> policies);
// `"burst";r=50;t=30`; resets are rounded up to seconds.
std::string format_rate_limit(std::span<const ServiceLimit> limits);

}  // namespace rlctl
