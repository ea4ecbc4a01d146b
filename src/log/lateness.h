// When a request counts as sent late: what budgets, notes and reports count alike. Pure.
#pragma once

#include "log/record.h"

namespace rlctl {

// Went out more than `after_us` behind the schedule. What was never sent is not late.
inline bool sent_late(const Record& record, std::int64_t after_us) {
  return record.intended_us != kNoTime && record.sent_us != kNoTime &&
         record.sent_us - record.intended_us > after_us;
}

}  // namespace rlctl
