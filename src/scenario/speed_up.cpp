#include "scenario/speed_up.h"

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"

namespace rlctl {
namespace {

constexpr std::int64_t kShortGapUs = 1'000'000;

class Divider {
 public:
  explicit Divider(std::int64_t speed) : speed_(speed) {}

  void length(std::int64_t& us) const { us = us > 0 ? std::max<std::int64_t>(us / speed_, 1) : us; }
  void gap(std::int64_t& us) const {
    if (us >= kShortGapUs) length(us);
  }

  void rules(Rules& rules, const std::string& name) const {
    for (Rule& rule : rules) {
      length(rule.window_us);
      length(rule.block_us);
      length(rule.lease_us);
      length(rule.step_us);
      if (rule.phase_us) length(*rule.phase_us);
      if (!rule.has_window() || rule.window_us >= kShortestWindowUs) continue;
      throw Error(
          Exit::usage,
          "speed: the window of " + in_quotes(name) + " would be shorter than the minimum of 1ms",
          "use a speed below " + std::to_string(speed_));
    }
  }

  void policy(PolicySpec& spec) const {
    if (spec.is_command && spec.manifest.find("<window") == std::string::npos)
      throw Error(Exit::usage,
                  "speed: the window is a number in the command of " + in_quotes(spec.name),
                  "write <window_s> or <window_ms> in its place, or remove the speed");
    rules(spec.policy.rules, spec.name);
    if (spec.contract) rules(*spec.contract, spec.name);
    spec.tell_limiter();
  }

  // A burst within a second of a window's edge keeps its distance to the edge. A burst within a
  // second after another burst keeps its distance to that burst.
  void bursts(std::vector<Burst>& bursts, std::int64_t window_us) const {
    std::ranges::stable_sort(bursts, {}, &Burst::at_us);
    const Burst* before = nullptr;
    std::int64_t before_us = 0;  // its original time
    for (Burst& burst : bursts) {
      const std::int64_t at_us = burst.at_us;
      const std::int64_t edge_us = (at_us + window_us / 2) / window_us * window_us;
      const std::int64_t beside_us = at_us - edge_us;
      if (std::abs(beside_us) < std::min(kShortGapUs, window_us / speed_ / 2))
        burst.at_us = edge_us / speed_ + beside_us;
      else if (before != nullptr && at_us - before_us < kShortGapUs)
        burst.at_us = before->at_us + at_us - before_us;
      else
        burst.at_us = at_us / speed_;
      gap(burst.gap_us);
      before = &burst;
      before_us = at_us;
    }
  }

  void phase(Phase& phase, std::int64_t window_us) const {
    for (RateStage& stage : phase.stages) {
      length(stage.duration_us);
      stage.from.count *= speed_;
      stage.to.count *= speed_;
    }
    bursts(phase.bursts, window_us);
    length(phase.duration_us);
    gap(phase.think_us);
    length(phase.hold_us.from);
    length(phase.hold_us.to);
    if (phase.start) gap(phase.start->after_us);
  }

 private:
  std::int64_t speed_;
};

}  // namespace

Scenario sped_up(Scenario scenario) {
  if (scenario.speed == 1) return scenario;
  const Divider divide(scenario.speed);
  for (Phase& phase : scenario.phases)
    divide.phase(phase, scenario.policies[phase.policy].policy.window_us);
  for (PolicySpec& policy : scenario.policies) divide.policy(policy);
  for (Fault& fault : scenario.faults) {
    divide.gap(fault.at.after_us);
    divide.gap(fault.down_us);
    divide.gap(fault.by_us);
    divide.gap(fault.jitter_us);
  }
  scenario.speed = 1;
  return scenario;
}

}  // namespace rlctl
