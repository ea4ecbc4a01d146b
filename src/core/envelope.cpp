#include "core/envelope.h"

#include <algorithm>

#include "core/containment.h"
#include "core/window_rule.h"

namespace rlctl {

std::vector<EnvelopePoint> envelope(std::span<const History> histories,
                                    std::span<const std::int64_t> spans_us) {
  std::vector<EnvelopePoint> points;
  for (const std::int64_t span : spans_us) {
    EnvelopePoint point{span, 0};
    // A window of W does not hold what is W apart: a closed span is one µs longer.
    const WindowRule rule = WindowRule::sliding(span + 1, 0);
    for (const History& history : histories) {
      if (history.admitted.empty()) continue;
      point.admissions = std::max(point.admissions, most_certain(history.admitted, rule, 1).count);
    }
    points.push_back(point);
  }
  return points;
}

std::vector<std::int64_t> envelope_spans(std::int64_t longest_us, std::int64_t window_us) {
  std::vector<std::int64_t> spans{0};
  for (std::int64_t decade = 1'000; decade <= longest_us; decade *= 10) {
    for (const std::int64_t step : {1, 2, 5})
      if (decade * step <= longest_us) spans.push_back(decade * step);
  }
  if (window_us > 0) spans.push_back(window_us);
  spans.push_back(longest_us);
  std::sort(spans.begin(), spans.end());
  spans.erase(std::unique(spans.begin(), spans.end()), spans.end());
  return spans;
}

}  // namespace rlctl
