#include "verdict/outcome/inference.h"

#include <algorithm>
#include <limits>

#include "verdict/bucket_fill.h"
#include "verdict/containment.h"
#include "verdict/history.h"
#include "verdict/judge_windows.h"

namespace rlctl {
namespace {

// Rates are searched in steps of a thousandth of a token per window.
constexpr std::int64_t kSteps = 1'000;

std::int64_t tokens_of(const History& history) {
  std::int64_t tokens = 0;
  for (const Placement& admission : history.admitted) tokens += admission.cost;
  return tokens;
}

// The least that is missing from the bucket at its worst moment, in drops.
Wide worst_missing(const History& history, const BucketRule& rule) {
  std::vector<Placement> by_end = history.admitted;
  std::sort(by_end.begin(), by_end.end(),
            [](const Placement& a, const Placement& b) { return a.high_us < b.high_us; });
  const std::int64_t origin = history.admitted.front().low_us;
  std::vector<std::int64_t> starts;
  for (const Placement& admission : history.admitted) starts.push_back(admission.low_us - origin);
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  SpanTree spans(std::move(starts), rule);
  Wide worst = 0;
  for (const Placement& admission : by_end) {
    spans.add(admission.low_us - origin, admission.cost);
    worst = std::max(worst, spans.best() - rule.refill(admission.high_us - origin));
  }
  return worst;
}

std::int64_t capacity_needed(const History& history, std::int64_t limit, std::int64_t window_us) {
  const BucketRule rule{0, limit, window_us, 0};
  const Wide drops = worst_missing(history, rule);
  return static_cast<std::int64_t>((drops + window_us - 1) / window_us);
}

// The least rate, in thousandths per window, at which `capacity` is enough for every history. The
// rate only rises from key to key, so most keys need one check.
std::int64_t steps_needed(const std::vector<History>& histories, std::int64_t capacity,
                          std::int64_t window_us) {
  std::int64_t rate = 0;
  const auto enough = [&](const History& history, std::int64_t steps) {
    return capacity_needed(history, steps, window_us * kSteps) <= capacity;
  };
  for (const History& history : histories) {
    if (history.admitted.empty() || tokens_of(history) <= capacity || enough(history, rate))
      continue;
    std::int64_t low = rate;
    std::int64_t high = std::max<std::int64_t>(1, rate);
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
    while (high < most && !enough(history, high)) {
      low = high;
      high *= 2;
    }
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (enough(history, middle) ? high : low) = middle;
    }
    rate = high;
  }
  return rate;
}

void infer_window(const std::vector<History>& histories, Inference& inference) {
  const WindowRule rule = WindowRule::sliding(inference.window_us, 0);
  std::int64_t certain = 0;
  std::int64_t possible = 0;
  for (const History& history : histories) {
    if (!history.admitted.empty())
      certain = std::max(certain, most_certain(history.admitted, rule, 1).count);
    possible = std::max(possible, most_possible(history, rule));
  }
  inference.tightest_limit = certain;
  inference.possible_limit = possible;
}

void infer_limit(const std::vector<History>& histories, std::int64_t longest_us,
                 Inference& inference) {
  const std::int64_t whole = longest_us + 1;
  std::int64_t widest = whole;
  for (const History& history : histories)
    widest = std::min(widest, widest_kept(history.admitted, whole, inference.limit));
  if (widest < whole) inference.widest_window_us = widest;
}

void infer_bucket(const std::vector<History>& histories, Inference& inference) {
  std::int64_t capacity = 0;
  for (const History& history : histories) {
    if (!history.admitted.empty())
      capacity = std::max(capacity, capacity_needed(history, inference.limit, inference.window_us));
  }
  inference.bucket_at_rate = {capacity, static_cast<double>(inference.limit)};
  const std::int64_t steps = steps_needed(histories, inference.limit, inference.window_us);
  // No rate is enough if one instant has too many admissions.
  if (steps < std::numeric_limits<std::int64_t>::max() / 8)
    inference.bucket_at_limit = {inference.limit, static_cast<double>(steps) / kSteps};
}

}  // namespace

Inference infer(const Log& log, const JudgeOptions& options) {
  const std::vector<History> histories = admissions_by_key(log, options);
  Inference inference;
  for (const History& history : histories) inference.admissions += tokens_of(history);
  inference.limit = log.policy.limit;
  if (any_window(log.policy.rules)) inference.window_us = log.policy.window_us;
  const std::int64_t longest_us = longest_span_us(histories);
  if (inference.window_us > 0) infer_window(histories, inference);
  if (inference.limit > 0) infer_limit(histories, longest_us, inference);
  if (inference.window_us > 0 && inference.limit > 0) infer_bucket(histories, inference);
  inference.envelope = envelope(histories, envelope_spans(longest_us, inference.window_us));
  return inference;
}

}  // namespace rlctl
