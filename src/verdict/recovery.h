// How long a service took to decide again after a fault. Pure; O(n).
#pragma once

#include <cstdint>
#include <span>

#include "log/record.h"

namespace rlctl {

// The first answer (allowed or denied) to a request that was sent at `fault_us` or later: when it
// was received. kNoTime: none came.
std::int64_t first_answer_after(std::span<const Record> records, std::int64_t fault_us);

}  // namespace rlctl
