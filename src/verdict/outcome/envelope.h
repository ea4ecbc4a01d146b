// A limiter's whole behaviour in one curve: for each span d, the most admissions of one key that
// certainly lie in some closed span of that length. Pure. O(n log n) for each span.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verdict/history.h"

namespace rlctl {

struct EnvelopePoint {
  std::int64_t span_us = 0;
  std::int64_t admissions = 0;
};

// One point for each of `spans_us`; the most over all histories.
std::vector<EnvelopePoint> envelope(std::span<const History> histories,
                                    std::span<const std::int64_t> spans_us);

// 0, 1 ms, 2, 5, 10, 20, 50 ms ... up to `longest_us`, with `window_us` (if any) among them.
std::vector<std::int64_t> envelope_spans(std::int64_t longest_us, std::int64_t window_us);

}  // namespace rlctl
