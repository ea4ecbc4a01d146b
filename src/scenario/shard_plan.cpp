#include "scenario/shard_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "policy/rule.h"

namespace rlctl {
namespace {

[[noreturn]] void refuse(const std::string& why, const std::string& hint) {
  throw Error(Exit::usage, "--shard: " + why, hint);
}

void check_phase(const Scenario& scenario, std::size_t index) {
  const Phase& phase = scenario.phases[index];
  const std::string name = "phase " + in_quotes(phase.name);
  if (phase.anchor == Anchor::first_hit)
    refuse(name + " begins with an admission that only one machine sees",
           "use \"align\": \"window\"");
  if (phase.lockstep)
    refuse(name + " uses lockstep, which does not work on several machines", "remove lockstep");
  if (index == 0 || phase.start) return;
  const Phase& before = scenario.phases[index - 1];
  if (!planned_length_us(before))
    refuse(fmt::format("{} begins when {} ends, but that time depends on the answers", name,
                       in_quotes(before.name)),
           R"(add "start" to this phase, or "for" to the previous one)");
}

// What decides who sends what, and when; and what judges it.
class PlanText {
 public:
  template <class... Values>
  void add(const Values&... values) {
    ((text_ += fmt::format("{}\n", values)), ...);
  }
  void add_phase(const Phase& phase) {
    add(phase.name, phase.policy, int(phase.anchor), phase.share_keys, phase.connections);
    add(int(phase.model), int(phase.arrivals), phase.users, phase.duration_us, phase.requests);
    add(phase.think_us, phase.consumers, phase.items, int(phase.on_deny), phase.retries);
    add(phase.cost.from, phase.cost.to, phase.hold_us.from, phase.hold_us.to, phase.replay);
    if (phase.start) add(phase.start->phase, phase.start->after_us);
    for (const Share& share : phase.mix) add(share.who, share.weight);
    for (const RateStage& stage : phase.stages)
      add(stage.from.count, stage.from.per_us, stage.to.count, stage.to.per_us, stage.duration_us);
    for (const Burst& burst : phase.bursts) add(burst.at_us, burst.count, burst.gap_us);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string plan_of(const Scenario& scenario) {
  PlanText plan;
  plan.add(scenario.name, scenario.seed, scenario.start_at_us.value_or(0), scenario.shard.count);
  for (const PolicySpec& policy : scenario.policies)
    plan.add(policy.name, policy.algorithm, in_words(policy.policy.rules));
  for (const IdentitySpec& one : scenario.identities)
    plan.add(one.name, one.ip, one.user, one.count, int(one.pick), one.skew);
  for (const Phase& phase : scenario.phases) plan.add_phase(phase);
  return plan.text();
}

}  // namespace

std::optional<std::int64_t> planned_length_us(const Phase& phase) {
  switch (phase.model) {
    case TrafficModel::rate:
      return phase.duration_us;
    case TrafficModel::bursts: {
      std::int64_t last_us = 0;
      for (const Burst& burst : phase.bursts)
        last_us = std::max(last_us, burst.at_us + (burst.count - 1) * burst.gap_us);
      return last_us;
    }
    case TrafficModel::users:
      if (phase.duration_us > 0) return phase.duration_us;
      return std::nullopt;
    case TrafficModel::consumers:
    case TrafficModel::replay:
      break;
  }
  return std::nullopt;
}

void check_shard(const Scenario& scenario) {
  if (scenario.shard.is_whole()) return;
  if (!scenario.start_at_us)
    refuse("all parts must begin at the same time",
           "add a start time: --start-at 2026-11-21T10:00:00Z");
  if (scenario.clock == ScenarioClock::virtual_time)
    refuse("each machine would have its own virtual clock", "use the wall clock");
  if (scenario.target.kind == TargetKind::embedded || scenario.target.kind == TargetKind::serve)
    refuse("each machine would have its own Redis", "name a shared one with --redis or --target");
  for (std::size_t i = 0; i < scenario.phases.size(); ++i) check_phase(scenario, i);
}

std::string shared_run_id(const Scenario& scenario) {
  std::uint32_t hash = 2'166'136'261;  // FNV-1a
  for (const char c : plan_of(scenario))
    hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  return fmt::format("{:08x}", hash);
}

}  // namespace rlctl
