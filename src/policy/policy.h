// The policy of a limiter: what its user wants. Plain values; all times are µs.
//
// The room policy: what is wanted, promised or claimed. The other rooms describe their work with
// these types.
// - It includes base. It is pure.
// - It must not know how a limiter decides, how traffic is sent or how a log is judged.
//
// Begin with rule.h (a rule, and the kinds of rules) and this file. Then: rules_text.h (rules as
// people write them), key.h (key templates such as "ratelimit:ip:<ip>"), identity.h (who sends a
// request), target.h (the service that is measured), rate_limit_fields.h (Retry-After and RateLimit
// in a response), policy_json.h.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "policy/rule.h"
#include "policy/rules_text.h"

namespace rlctl {

// The lease that a limiter is told if its rule says none.
inline constexpr std::int64_t kUsualLeaseUs = 60'000'000;

// `rules` is what is wanted, and what is judged. The other numbers are what the limiter is told:
// those of the first rule, unless a contract is given. `key` is a template:
// "ratelimit:ip:<ip>:minute".
struct Policy {
  Rules rules;  // empty: nothing is wanted
  std::int64_t limit = 0;
  std::int64_t window_us = 0;
  std::int64_t capacity = 0;  // buckets only; 0: the limit
  std::int64_t block_us = 0;  // 0: no block flag
  std::string key;
  std::string block_key;  // empty: derived from the key (policy/key.h)

  std::int64_t bucket_capacity() const { return capacity > 0 ? capacity : limit; }
  RuleNumbers numbers() const { return {limit, window_us, bucket_capacity(), block_us}; }

  // The limiter is told the numbers of this rule. In place of a window, its lease.
  void tell(const Rule& rule) {
    limit = rule.limit;
    window_us = rule.has_window() ? rule.window_us : rule.lease_us;
    if (window_us == 0 && !rule.has_window()) window_us = kUsualLeaseUs;
    capacity = rule.capacity;
    block_us = rule.block_us;
  }
};

inline Policy policy_of(Rules rules) {
  Policy policy;
  if (!rules.empty()) policy.tell(rules.front());
  policy.rules = std::move(rules);
  return policy;
}

}  // namespace rlctl
