// The user's rule (Policy) and the limiter's promise (Contract). Plain values; all times are µs.
//
// The room policy: what is wanted, promised or claimed. The other rooms describe their work with
// these types.
// - It includes base. It is pure.
// - It must not know how a limiter decides, how traffic is sent or how a log is judged.
//
// Begin with this file. Then: key.h (key templates such as "ratelimit:ip:<ip>"), identity.h (who
// sends a request), target.h (the service that is measured), rate_limit_fields.h (Retry-After and
// RateLimit in a response), policy_json.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/words.h"

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

// How an algorithm counts, which defines its contract (README, "How decisions are judged").
enum class ContractKind : std::uint8_t { none, sliding, fixed, anchored, bucket };
inline constexpr Word<ContractKind> kContractKindWords[] = {{"none", ContractKind::none},
                                                            {"sliding", ContractKind::sliding},
                                                            {"fixed", ContractKind::fixed},
                                                            {"anchored", ContractKind::anchored},
                                                            {"bucket", ContractKind::bucket}};
constexpr std::span<const Word<ContractKind>> words_of(ContractKind) { return kContractKindWords; }

struct Contract {
  ContractKind kind = ContractKind::none;
  std::int64_t limit = 0;
  std::int64_t window_us = 0;
  std::optional<std::int64_t> phase_us = 0;  // fixed: where windows start; empty: unknown
  std::int64_t capacity = 0;                 // bucket: rate is limit per window_us, exactly
  bool counts_denied = false;                // denied attempts fill the window too
  std::int64_t block_us = 0;  // after a denial, every request is denied for this long
};

// "100 per 1m, in any window", "bucket of 20, refilled 100 per 1m".
std::string contract_in_words(const Contract& contract);

}  // namespace rlctl
