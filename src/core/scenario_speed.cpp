#include "core/scenario_speed.h"

#include <algorithm>

#include "core/error.h"
#include "core/escape.h"
#include "core/units.h"

namespace rlctl {
namespace {

constexpr std::int64_t kShortGapUs = 1'000'000;
constexpr std::int64_t kShortestWindowUs = 1'000;

class Divider {
 public:
  explicit Divider(std::int64_t speed) : speed_(speed) {}

  void length(std::int64_t& us) const { us = us > 0 ? std::max<std::int64_t>(us / speed_, 1) : us; }
  void gap(std::int64_t& us) const {
    if (us >= kShortGapUs) length(us);
  }

  void policy(PolicySpec& spec) const {
    length(spec.policy.window_us);
    length(spec.policy.block_us);
    if (spec.policy.window_us >= kShortestWindowUs) return;
    throw Error(Exit::usage,
                "speed: the window of " + in_quotes(spec.name) + " would be shorter than 1ms",
                "a speed of " + std::to_string(speed_) + " is too much for it");
  }

  // From the last to the first: what comes less than a second before another keeps its distance.
  void bursts(std::vector<Burst>& bursts) const {
    std::ranges::stable_sort(bursts, {}, &Burst::at_us);
    std::int64_t later_us = 0;   // the next burst's time, before
    std::int64_t placed_us = 0;  // and after
    for (auto burst = bursts.rbegin(); burst != bursts.rend(); ++burst) {
      const std::int64_t at_us = burst->at_us;
      const bool near = burst != bursts.rbegin() && later_us - at_us < kShortGapUs;
      burst->at_us =
          near ? std::max<std::int64_t>(placed_us - (later_us - at_us), 0) : at_us / speed_;
      gap(burst->gap_us);
      later_us = at_us;
      placed_us = burst->at_us;
    }
  }

  void phase(Phase& phase) const {
    for (RateStage& stage : phase.stages) {
      length(stage.duration_us);
      stage.from.count *= speed_;
      stage.to.count *= speed_;
    }
    bursts(phase.bursts);
    length(phase.duration_us);
    gap(phase.think_us);
    if (phase.start) gap(phase.start->after_us);
  }

 private:
  std::int64_t speed_;
};

}  // namespace

Scenario sped_up(Scenario scenario) {
  if (scenario.speed == 1) return scenario;
  const Divider divide(scenario.speed);
  for (PolicySpec& policy : scenario.policies) divide.policy(policy);
  for (Phase& phase : scenario.phases) divide.phase(phase);
  for (Fault& fault : scenario.faults) {
    divide.gap(fault.at.after_us);
    divide.gap(fault.down_us);
    divide.gap(fault.by_us);
  }
  scenario.speed = 1;
  return scenario;
}

}  // namespace rlctl
