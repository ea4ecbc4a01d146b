// Finds when a service decided again after a fault. Pure; O(n).
#pragma once

#include <cstdint>
#include <span>

#include "log/record.h"

namespace rlctl {

// The receive time of the first answer (allowed or denied) to a request sent at `fault_us` or
// later. kNoTime: there was none.
std::int64_t first_answer_after(std::span<const Record> records, std::int64_t fault_us);

}  // namespace rlctl
