// When a request counts as sent late. Budgets, notes and reports all use this rule. Pure.
#pragma once

#include "log/record.h"

namespace rlctl {

// True if it was sent more than `after_us` behind the schedule. A request that was never sent is
// not late.
inline bool sent_late(const Record& record, std::int64_t after_us) {
  return record.intended_us != kNoTime && record.sent_us != kNoTime &&
         record.sent_us - record.intended_us > after_us;
}

}  // namespace rlctl
