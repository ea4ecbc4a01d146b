#include "scenario/length.h"

#include <algorithm>
#include <vector>

#include "scenario/shard_plan.h"

namespace rlctl {
namespace {

// Empty: nobody knows before the run.
struct PlannedPhase {
  std::optional<std::int64_t> from_us;
  std::optional<std::int64_t> to_us;
};

using PlannedPhases = std::vector<PlannedPhase>;

enum class WindowWaits : std::uint8_t { left_out, unknown };

std::optional<std::int64_t> time_of(const Moment& moment, const PlannedPhases& planned) {
  if (moment.phase < 0) return moment.after_us;
  const auto phase = static_cast<std::size_t>(moment.phase);
  if (phase >= planned.size() || !planned[phase].from_us) return std::nullopt;
  return *planned[phase].from_us + moment.after_us;
}

std::optional<std::int64_t> start_of(const Phase& phase, const PlannedPhases& planned,
                                     WindowWaits waits) {
  // The first phase's wait is before the start of the scenario.
  const bool waits_within = phase.start || !planned.empty();
  if (phase.anchor != Anchor::none && waits_within && waits == WindowWaits::unknown)
    return std::nullopt;
  if (phase.start) return time_of(*phase.start, planned);
  return planned.empty() ? 0 : planned.back().to_us;
}

PlannedPhases planned_phases(const Scenario& scenario, WindowWaits waits) {
  PlannedPhases planned;
  for (const Phase& phase : scenario.phases) {
    PlannedPhase one{start_of(phase, planned, waits), {}};
    const std::optional<std::int64_t> length_us = planned_length_us(phase);
    if (one.from_us && length_us) one.to_us = *one.from_us + *length_us;
    planned.push_back(one);
  }
  return planned;
}

bool ends_before(const Phase& phase, const PlannedPhase& planned, std::int64_t time_us) {
  const bool comes_back = phase.on_deny != OnDeny::drop && phase.model != TrafficModel::users;
  if (!planned.to_us || comes_back) return false;
  // The last burst is at its end, the last request of a rate before it.
  const std::int64_t last_us =
      *planned.to_us + phase.hold_us.to - (phase.model == TrafficModel::bursts ? 0 : 1);
  return last_us < time_us;
}

}  // namespace

std::optional<std::int64_t> scenario_length_us(const Scenario& scenario) {
  std::int64_t end_us = 0;
  for (const PlannedPhase& phase : planned_phases(scenario, WindowWaits::left_out)) {
    if (!phase.to_us) return std::nullopt;
    end_us = std::max(end_us, *phase.to_us);
  }
  return end_us;
}

std::optional<std::int64_t> planned_time_us(const Scenario& scenario, const Moment& moment) {
  return time_of(moment, planned_phases(scenario, WindowWaits::unknown));
}

bool is_after_traffic(const Scenario& scenario, const Moment& moment) {
  const PlannedPhases planned = planned_phases(scenario, WindowWaits::unknown);
  const std::optional<std::int64_t> time_us = time_of(moment, planned);
  if (!time_us || planned.empty()) return false;
  for (std::size_t i = 0; i < planned.size(); ++i)
    if (!ends_before(scenario.phases[i], planned[i], *time_us)) return false;
  return true;
}

}  // namespace rlctl
