#include "verdict/algorithm/window_rule.h"

#include "base/units.h"

namespace rlctl {

std::int64_t memory_us(const Rule& rule) {
  constexpr Wide kLongest = kOpenEnd / 4;
  if (!rule.has_window()) return rule.lease_us > 0 ? rule.lease_us : std::int64_t{kLongest};
  if (!rule.row().takes_capacity) return rule.window_us;
  if (rule.limit == 0) return kOpenEnd / 4;
  const Wide tokens = static_cast<Wide>(rule.capacity) * rule.window_us;
  const Wide fill_us = (tokens + rule.limit - 1) / rule.limit;
  return static_cast<std::int64_t>(std::clamp<Wide>(fill_us, rule.window_us, kLongest));
}

}  // namespace rlctl
