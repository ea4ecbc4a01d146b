// Latency from the median to the far tail: the percentiles of a log, for a chart with a log axis.
// Nearest rank, as in base/stats.h; only answered requests (allowed or denied). Pure; O(n log n)
// time, 8 bytes of memory for each answer.
#pragma once

#include <cstdint>
#include <vector>

#include "log/record.h"

namespace rlctl {

struct LatencyPoint {
  std::int64_t parts_per_million = 0;  // 999'900 is p99.99
  std::int64_t us = 0;
};

// Ends at the highest percentile that the samples can show: p99.99 needs 10,000 samples. The last
// point (1'000'000) is the largest sample.
struct LatencyCurve {
  std::int64_t samples = 0;
  std::vector<LatencyPoint> points;  // ascending; empty without samples
};

LatencyCurve latency_curve(std::vector<std::int64_t> samples_us);

// Measured from the planned send time. Records without one are left out.
LatencyCurve latency_from_intended(const Log& log);

// Measured from the actual send time.
LatencyCurve latency_from_sent(const Log& log);

}  // namespace rlctl
