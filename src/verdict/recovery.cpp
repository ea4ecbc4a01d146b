#include "verdict/recovery.h"

#include <algorithm>

namespace rlctl {

std::int64_t first_answer_after(std::span<const Record> records, std::int64_t fault_us) {
  std::int64_t first_us = kNoTime;
  for (const Record& record : records) {
    if (record.outcome > Outcome::denied || record.sent_us < fault_us) continue;
    if (first_us == kNoTime || record.received_us < first_us) first_us = record.received_us;
  }
  return first_us;
}

}  // namespace rlctl
