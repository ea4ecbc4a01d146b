#include "arrivals/traffic.h"

namespace rlctl {

std::optional<Arrival> SteadyTraffic::next(const Turn& turn) {
  if (started_us_ == 0) started_us_ = plan_.start_us.value_or(turn.now_us);
  const std::int64_t event = sent_ * plan_.shard.count + plan_.shard.index - 1;
  if (plan_.requests && event >= *plan_.requests) return std::nullopt;
  Arrival arrival;
  std::int64_t at_us = turn.now_us;
  if (plan_.rate_per_s) {
    const double offset_us = static_cast<double>(event) * 1e6 / *plan_.rate_per_s;
    arrival.intended_us = at_us = started_us_ + static_cast<std::int64_t>(offset_us);
  }
  if (plan_.duration_us && at_us >= started_us_ + *plan_.duration_us) return std::nullopt;
  // Consecutive requests use distant keys, so that each key needs its own cache line, as with real
  // clients.
  arrival.key = plan_.first_key + static_cast<std::uint32_t>(static_cast<std::uint64_t>(event) *
                                                             2'654'435'761U % plan_.keys);
  arrival.client = arrival.key;
  ++sent_;
  return arrival;
}

std::optional<Arrival> PlannedTraffic::next(const Turn& turn) {
  while (next_ < arrivals_.size()) {
    const Arrival& arrival = arrivals_[next_++];
    if (!patience_us_ || turn.now_us - arrival.intended_us <= *patience_us_) return arrival;
    ++dropped_;
  }
  return std::nullopt;
}

}  // namespace rlctl
