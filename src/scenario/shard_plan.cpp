#include "scenario/shard_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"

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
  const std::string all =
      fmt::format("{}\n{}\n{}", scenario.name, scenario.seed, scenario.start_at_us.value_or(0));
  for (const char c : all) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  return fmt::format("{:08x}", hash);
}

}  // namespace rlctl
