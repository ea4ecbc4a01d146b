// The user's rule. Plain values; all times are µs.
//
// The room policy: what is wanted, promised or claimed. The other rooms describe their work with
// these types.
// - It includes base. It is pure.
// - It must not know how a limiter decides, how traffic is sent or how a log is judged.
//
// Begin with this file. Then: contract.h (the limiter's promise, and the kinds of promise), key.h
// (key templates such as "ratelimit:ip:<ip>"), identity.h (who sends a request), target.h (the
// service that is measured), rate_limit_fields.h (Retry-After and RateLimit in a response),
// policy_json.h.
#pragma once

#include <cstdint>
#include <string>

namespace rlctl {

// Above it, Lua's numbers are not exact.
inline constexpr std::int64_t kMostCapacity = std::int64_t{1} << 53;

// Redis stores expiry times in whole ms.
inline constexpr std::int64_t kShortestWindowUs = 1'000;

// "limit per window, per key". `key` is a template: "ratelimit:ip:<ip>:minute".
struct Policy {
  std::int64_t limit = 0;
  std::int64_t window_us = 0;
  std::int64_t capacity = 0;  // buckets only; 0: the limit
  std::int64_t block_us = 0;  // 0: no block flag
  std::string key;
  std::string block_key;  // empty: derived from the key (policy/key.h)

  std::int64_t bucket_capacity() const { return capacity > 0 ? capacity : limit; }
};

}  // namespace rlctl
