#include "verdict/key_histories.h"

#include <algorithm>

#include "verdict/clock_offset.h"

namespace rlctl {

Frame frame_of_curves(const Log& log, const JudgeOptions& options) {
  const ClockOffset offset = clock_offset(log, std::max<std::int64_t>(1, options.tolerance_us));
  Frame frame;
  frame.stamps = options.use_server_stamps && offset.usable();
  frame.max_inflight_us = options.max_inflight_us;
  return frame;
}

std::vector<History> admissions_by_key(const Log& log, const JudgeOptions& options) {
  const Frame frame = frame_of_curves(log, options);
  std::vector<std::vector<std::uint32_t>> by_key(log.keys.size());
  for (std::uint32_t i = 0; i < log.records.size(); ++i) {
    const Outcome outcome = log.records[i].outcome;
    if (outcome == Outcome::allowed || outcome == Outcome::unknown)
      by_key[log.records[i].key].push_back(i);
  }
  std::vector<History> histories;
  for (const auto& indexes : by_key)
    if (!indexes.empty()) histories.push_back(make_history(log, indexes, frame));
  return histories;
}

std::int64_t longest_span_us(std::span<const History> histories) {
  std::int64_t longest = 0;
  for (const History& history : histories) {
    if (history.admitted.empty()) continue;
    std::int64_t last = history.admitted.front().high_us;
    for (const Placement& admission : history.admitted) last = std::max(last, admission.high_us);
    longest = std::max(longest, last - history.admitted.front().low_us);
  }
  return longest;
}

}  // namespace rlctl
