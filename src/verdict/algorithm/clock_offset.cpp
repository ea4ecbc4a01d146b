#include "verdict/algorithm/clock_offset.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace rlctl {

ClockOffset clock_offset(const Log& log, std::int64_t grain_us) {
  ClockOffset offset;
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  for (const Record& record : log.records) {
    if (record.server_us == kNoTime || record.outcome == Outcome::failed) continue;
    ++offset.stamps;
    if (record.received_us != kNoTime) low = std::max(low, record.server_us - record.received_us);
    if (record.sent_us != kNoTime) high = std::min(high, server_from_us(record) - record.sent_us);
    offset.widest_us = std::max<std::int64_t>(offset.widest_us, record.server_span_us);
  }
  if (low == std::numeric_limits<std::int64_t>::min() ||
      high == std::numeric_limits<std::int64_t>::max()) {
    return offset;  // the stamps have no client times beside them: nothing to compare
  }
  offset.low_us = low;
  offset.high_us = high;
  if (low - high > std::max<std::int64_t>(1, grain_us)) {
    offset.step_us = low - high;
  } else if (low > high) {
    std::swap(offset.low_us, offset.high_us);
  }
  return offset;
}

}  // namespace rlctl
