#include "scenario/length.h"

#include <algorithm>
#include <vector>

#include "scenario/shard_plan.h"

namespace rlctl {

std::optional<std::int64_t> scenario_length_us(const Scenario& scenario) {
  std::vector<std::int64_t> starts;
  std::int64_t previous_end_us = 0;
  std::int64_t end_us = 0;
  for (const Phase& phase : scenario.phases) {
    const auto length_us = planned_length_us(phase);
    if (!length_us) return std::nullopt;
    std::int64_t start_us = previous_end_us;
    if (phase.start) {
      const auto after = static_cast<std::size_t>(std::max(0, phase.start->phase));
      const bool known = phase.start->phase >= 0;
      if (known && after >= starts.size()) return std::nullopt;  // after a later phase
      start_us = (known ? starts[after] : 0) + phase.start->after_us;
    }
    starts.push_back(start_us);
    previous_end_us = start_us + *length_us;
    end_us = std::max(end_us, previous_end_us);
  }
  return end_us;
}

}  // namespace rlctl
