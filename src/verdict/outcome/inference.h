// What a log says about its limiter: for each kind of policy, the tightest one that the log does
// not disprove. The worst key decides. Pure; throws Error(Exit::usage) if a record has no time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "log/record.h"
#include "verdict/outcome/envelope.h"
#include "verdict/verdict.h"

namespace rlctl {

// A bucket of `capacity` that refills at rate_per_window per window.
struct InferredBucket {
  std::int64_t capacity = 0;
  double rate_per_window = 0;
};

struct Inference {
  std::int64_t admissions = 0;                    // in the whole log
  std::int64_t window_us = 0;                     // for the figures below; 0: not given
  std::int64_t limit = 0;                         // the same
  std::optional<std::int64_t> tightest_limit;     // for the window; no window certainly held more
  std::optional<std::int64_t> possible_limit;     // for the window; no window can have held more
  std::optional<std::int64_t> widest_window_us;   // for the limit; empty: the whole log has no more
  std::optional<InferredBucket> bucket_at_rate;   // the smallest capacity at limit per window
  std::optional<InferredBucket> bucket_at_limit;  // the slowest rate with the limit as capacity
  std::vector<EnvelopePoint> envelope;
};

// `limit` and `window_us` come from log.policy. A figure that needs one that is 0 stays empty.
Inference infer(const Log& log, const JudgeOptions& options);

}  // namespace rlctl
