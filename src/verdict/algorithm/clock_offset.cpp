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

// The lowest and the highest offset of a key, and the two keys whose clocks are furthest apart.
class Range {
 public:
  void add(std::uint32_t key, const ClockOffset& offset) {
    low_us_ = std::min(low_us_, offset.low_us);
    high_us_ = std::max(high_us_, offset.high_us);
    if (offset.low_us > ahead_.us) ahead_ = {key, offset.low_us};
    if (offset.high_us < behind_.us) behind_ = {key, offset.high_us};
  }

  bool is_empty() const { return low_us_ == kHighest; }

  void tell(ClockOffset& offset) const {
    offset.low_us = low_us_;
    offset.high_us = high_us_;
    offset.apart_us = std::max<std::int64_t>(0, ahead_.us - behind_.us);
    offset.ahead_key = ahead_.key;
    offset.behind_key = behind_.key;
  }

 private:
  struct OfKey {
    std::uint32_t key = 0;
    std::int64_t us = 0;
  };
  std::int64_t low_us_ = kHighest;
  std::int64_t high_us_ = kLowest;
  OfKey ahead_{0, kLowest};
  OfKey behind_{0, kHighest};
};

ClockOffset offset_of_servers(const Log& log, std::int64_t grain_us) {
  std::vector<Bounds> keys(log.keys.size());
  for (const Record& record : log.records) keys[record.key].add(record);
  ClockOffset all;
  Range range;
  std::int64_t step_us = 0;
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    const ClockOffset key = keys[i].offset(grain_us);
    all.stamps += key.stamps;
    all.widest_us = std::max(all.widest_us, key.widest_us);
    all.stepped_keys += key.step_us > 0 ? 1 : 0;
    step_us = std::max(step_us, key.step_us);
    if (keys[i].is_known() && key.step_us == 0) range.add(i, key);
  }
  if (range.is_empty())
    all.step_us = step_us;
  else
    range.tell(all);
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
