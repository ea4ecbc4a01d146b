#include "verdict/algorithm/clock_offset.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace rlctl {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

// The intersection of the intervals of some records.
class Bounds {
 public:
  void add(const Record& record) {
    if (record.server_us == kNoTime || record.outcome == Outcome::failed) return;
    ++offset_.stamps;
    if (record.received_us != kNoTime) low_ = std::max(low_, record.server_us - record.received_us);
    if (record.sent_us != kNoTime) high_ = std::min(high_, server_from_us(record) - record.sent_us);
    offset_.widest_us = std::max<std::int64_t>(offset_.widest_us, record.server_span_us);
  }

  // The stamps have client times beside them: there is something to compare.
  bool is_known() const { return low_ != kLowest && high_ != kHighest; }

  ClockOffset offset(std::int64_t grain_us) const {
    ClockOffset offset = offset_;
    if (!is_known()) return offset;
    offset.low_us = low_;
    offset.high_us = high_;
    if (low_ - high_ > std::max<std::int64_t>(1, grain_us))
      offset.step_us = low_ - high_;
    else if (low_ > high_)
      std::swap(offset.low_us, offset.high_us);
    return offset;
  }

 private:
  ClockOffset offset_;
  std::int64_t low_ = kLowest;
  std::int64_t high_ = kHighest;
};

void add_range(const ClockOffset& key, bool is_first, std::int64_t& highest_low,
               std::int64_t& lowest_high, ClockOffset& all) {
  all.low_us = is_first ? key.low_us : std::min(all.low_us, key.low_us);
  all.high_us = is_first ? key.high_us : std::max(all.high_us, key.high_us);
  highest_low = std::max(highest_low, key.low_us);
  lowest_high = std::min(lowest_high, key.high_us);
}

// From the lowest to the highest offset of a key.
ClockOffset offset_of_servers(const Log& log, std::int64_t grain_us) {
  std::vector<Bounds> keys(log.keys.size());
  for (const Record& record : log.records) keys[record.key].add(record);
  ClockOffset all;
  std::int64_t step_us = 0, highest_low = kLowest, lowest_high = kHighest;
  for (const Bounds& bounds : keys) {
    const ClockOffset key = bounds.offset(grain_us);
    all.stamps += key.stamps;
    all.widest_us = std::max(all.widest_us, key.widest_us);
    all.stepped_keys += key.step_us > 0 ? 1 : 0;
    step_us = std::max(step_us, key.step_us);
    if (bounds.is_known() && key.step_us == 0)
      add_range(key, highest_low == kLowest, highest_low, lowest_high, all);
  }
  if (highest_low == kLowest)
    all.step_us = step_us;
  else
    all.apart_us = std::max<std::int64_t>(0, highest_low - lowest_high);
  return all;
}

}  // namespace

ClockOffset clock_offset(const Log& log, std::int64_t grain_us) {
  if (log.servers > 1) return offset_of_servers(log, grain_us);
  Bounds bounds;
  for (const Record& record : log.records) bounds.add(record);
  return bounds.offset(grain_us);
}

ClockOffset clock_offset(const Log& log, std::span<const std::uint32_t> records,
                         std::int64_t grain_us) {
  Bounds bounds;
  for (const std::uint32_t record : records) bounds.add(log.records[record]);
  return bounds.offset(grain_us);
}

}  // namespace rlctl
