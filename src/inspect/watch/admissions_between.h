// What two looks at the same key show about the time between them: how many requests were admitted
// and, if the state shows it, denied. The numbers are lower bounds: entries that came and went
// between the looks are not seen. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "inspect/key_reading.h"
#include "policy/policy.h"

namespace rlctl {

// One look: the parts of a key's state and reading that matter here.
struct KeyLook {
  std::int64_t at_us = 0;
  Shape shape = Shape::none;
  std::optional<RuleKind> kind;
  std::optional<double> used;
  std::optional<std::int64_t> newest_us;  // logs: when the newest entry was
};

struct Admissions {
  std::optional<double> allowed;  // empty: the state does not show it
  std::optional<double> denied;
};

// `younger`: how many entries of a log came after the newest entry of the first look. `policy`:
// limit 0 if it is not known. For a log the entries are counted; for a bucket, the change of its
// level plus what leaked since; for a counter, its difference. A counter above the limit counts
// attempts, so the part above the limit was denied.
Admissions admissions_between(const KeyLook& before, const KeyLook& now,
                              std::optional<std::int64_t> younger, const Policy& policy);

}  // namespace rlctl
