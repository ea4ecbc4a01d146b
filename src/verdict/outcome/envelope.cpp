#include "verdict/outcome/envelope.h"

#include <algorithm>

#include "base/sort.h"
#include "verdict/algorithm/window_rule.h"
#include "verdict/containment.h"

namespace rlctl {
namespace {

// A history's admissions, and what is known about all of them.
struct Admissions {
  const std::vector<Placement>* placed;
  std::int64_t cost = 0;  // of all admissions: no span holds more
  bool exact = true;      // the exact time of each is known
};

Admissions admissions_of(const History& history) {
  Admissions all{&history.admitted};
  for (const Placement& admission : history.admitted) {
    all.cost += admission.cost;
    all.exact = all.exact && admission.exact();
  }
  return all;
}

// Sorted exact times need no heap.
std::int64_t most_of_instants(const std::vector<Placement>& placed, std::int64_t span_us) {
  std::int64_t most = 0;
  std::int64_t inside = 0;
  std::size_t first = 0;
  for (const Placement& last : placed) {
    inside += last.cost;
    while (placed[first].low_us < last.low_us - span_us) inside -= placed[first++].cost;
    most = std::max(most, inside);
  }
  return most;
}

std::int64_t most_in_span(const Admissions& admissions, std::int64_t span_us) {
  if (admissions.exact) return most_of_instants(*admissions.placed, span_us);
  // A window of W does not hold two admissions that are W apart, so a closed span is 1 µs longer.
  return most_certain(*admissions.placed, WindowRule::sliding(span_us + 1, 0), 1).count;
}

}  // namespace

std::vector<EnvelopePoint> envelope(std::span<const History> histories,
                                    std::span<const std::int64_t> spans_us) {
  std::vector<Admissions> all;
  for (const History& history : histories) all.push_back(admissions_of(history));
  // The largest come first, so that the loop below can stop early.
  std::sort(all.begin(), all.end(),
            [](const Admissions& a, const Admissions& b) { return a.cost > b.cost; });
  std::vector<EnvelopePoint> points;
  for (const std::int64_t span : spans_us) {
    EnvelopePoint point{span, 0};
    for (const Admissions& admissions : all) {
      if (admissions.cost <= point.admissions) break;
      point.admissions = std::max(point.admissions, most_in_span(admissions, span));
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
  sort_unique(spans);
  return spans;
}

}  // namespace rlctl
