#include "verdict/algorithm/clock_offset.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace rlctl {

void ClockEvidence::add(const Record& record) {
  if (record.server_us == kNoTime || record.outcome == Outcome::failed) return;
  ++stamps;
  if (record.received_us != kNoTime)
    highest_low_us = std::max(highest_low_us, record.server_us - record.received_us);
  if (record.sent_us != kNoTime)
    lowest_high_us = std::min(lowest_high_us, server_from_us(record) - record.sent_us);
  widest_us = std::max<std::int64_t>(widest_us, record.server_span_us);
}

ClockEvidence::ClockEvidence(const Log& log, std::int64_t grain)
    : grain_us(grain), by_key(log.servers > 1) {
  if (!by_key) {
    for (const Record& record : log.records) add(record);
    return;
  }
  std::vector<ClockEvidence> keys(log.keys.size());
  for (const Record& record : log.records) keys[record.key].add(record);
  for (std::size_t i = 0; i < keys.size(); ++i) add_key(keys[i], log.keys[i]);
}

void ClockEvidence::take_ahead(std::int64_t low_us, const std::string& key) {
  if (low_us < highest_low_us || (low_us == highest_low_us && key >= ahead_key)) return;
  highest_low_us = low_us;
  ahead_key = key;
}

void ClockEvidence::take_behind(std::int64_t high_us, const std::string& key) {
  if (high_us > lowest_high_us || (high_us == lowest_high_us && key >= behind_key)) return;
  lowest_high_us = high_us;
  behind_key = key;
}

void ClockEvidence::add_key(const ClockEvidence& key, const std::string& name) {
  ClockEvidence grained = key;
  grained.grain_us = grain_us;
  const ClockOffset offset = grained.offset_of_one();
  stamps += key.stamps;
  widest_us = std::max(widest_us, key.widest_us);
  stepped_keys += offset.step_us > 0 ? 1 : 0;
  step_us = std::max(step_us, offset.step_us);
  if (!key.is_known() || offset.step_us > 0) return;
  lowest_low_us = std::min(lowest_low_us, offset.low_us);
  highest_high_us = std::max(highest_high_us, offset.high_us);
  take_ahead(offset.low_us, name);
  take_behind(offset.high_us, name);
}

void ClockEvidence::join(const ClockEvidence& other) {
  grain_us = other.grain_us;
  by_key = other.by_key;
  stamps += other.stamps;
  widest_us = std::max(widest_us, other.widest_us);
  take_ahead(other.highest_low_us, other.ahead_key);
  take_behind(other.lowest_high_us, other.behind_key);
  lowest_low_us = std::min(lowest_low_us, other.lowest_low_us);
  highest_high_us = std::max(highest_high_us, other.highest_high_us);
  step_us = std::max(step_us, other.step_us);
  stepped_keys += other.stepped_keys;
}

// The intersection of the intervals.
ClockOffset ClockEvidence::offset_of_one() const {
  ClockOffset offset{.stamps = stamps, .widest_us = widest_us};
  if (!is_known()) return offset;  // nothing to compare
  offset.low_us = highest_low_us;
  offset.high_us = lowest_high_us;
  if (offset.low_us - offset.high_us > std::max<std::int64_t>(1, grain_us))
    offset.step_us = offset.low_us - offset.high_us;
  else if (offset.low_us > offset.high_us)
    std::swap(offset.low_us, offset.high_us);
  return offset;
}

// From the lowest to the highest offset of a key.
ClockOffset ClockEvidence::offset_of_several() const {
  ClockOffset all{.stamps = stamps, .widest_us = widest_us, .stepped_keys = stepped_keys};
  if (!is_known()) {
    all.step_us = step_us;
    return all;
  }
  all.low_us = lowest_low_us;
  all.high_us = highest_high_us;
  all.apart_us = std::max<std::int64_t>(0, highest_low_us - lowest_high_us);
  all.ahead_key = ahead_key;
  all.behind_key = behind_key;
  return all;
}

ClockOffset ClockEvidence::offset() const { return by_key ? offset_of_several() : offset_of_one(); }

ClockOffset clock_offset(const Log& log, std::int64_t grain_us) {
  return ClockEvidence(log, grain_us).offset();
}

}  // namespace rlctl
