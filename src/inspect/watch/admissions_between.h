// What two looks at the same key tell of the time between them: how many were admitted, and, where
// the state shows them, denied. At least so many: what came and went between the looks is not seen.
// Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "inspect/key_reading.h"
#include "policy/policy.h"

namespace rlctl {

// One look: what of a key's state and reading matters here.
struct KeyLook {
  std::int64_t at_us = 0;
  Shape shape = Shape::none;
  std::optional<ContractKind> contract;
  std::optional<double> used;
  std::optional<std::int64_t> newest_us;  // logs: when the newest entry was
};

struct Admissions {
  std::optional<double> allowed;  // empty: the state does not tell
  std::optional<double> denied;
};

// `younger`: how many entries of a log came after the first look's newest; `policy`: limit 0 when
// it is not known. A log tells by its entries, a bucket by its level and what leaked since, a
// counter by its difference; one that has gone beyond the limit counts attempts, so that what is
// above it was denied.
Admissions admissions_between(const KeyLook& before, const KeyLook& now,
                              std::optional<std::int64_t> younger, const Policy& policy);

}  // namespace rlctl
