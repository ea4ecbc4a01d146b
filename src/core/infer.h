// What a log itself says of the limiter behind it: the tightest policy of each shape that no proof
// in it speaks against. The worst key decides. Pure; throws Error(Exit::usage) when a record has no
// time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/envelope.h"
#include "core/record.h"
#include "core/verdict.h"

namespace rlctl {

// A bucket of `capacity` that refills at rate_per_window per window.
struct InferredBucket {
  std::int64_t capacity = 0;
  double rate_per_window = 0;
};

struct Inference {
  std::int64_t admissions = 0;                   // in the whole log
  std::int64_t window_us = 0;                    // of the questions below; 0: not asked
  std::int64_t limit = 0;                        // likewise
  std::optional<std::int64_t> tightest_limit;    // for the window; more than it is nowhere certain
  std::optional<std::int64_t> possible_limit;    // for the window; more than it is nowhere possible
  std::optional<std::int64_t> widest_window_us;  // for the limit; empty: even the whole log is one
  std::optional<InferredBucket> bucket_at_rate;  // the smallest capacity at limit per window
  std::optional<InferredBucket> bucket_at_limit;  // the slowest rate with the limit as capacity
  std::vector<EnvelopePoint> envelope;
};

// `limit` and `window_us` come from log.policy; what is 0 there is not asked.
Inference infer(const Log& log, const JudgeOptions& options);

}  // namespace rlctl
