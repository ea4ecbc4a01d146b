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
           "align it with the clock's windows");
  if (phase.lockstep)
    refuse(name + " goes step by step, which several machines can't do together",
           "leave out lockstep");
  if (index == 0 || phase.start) return;
  const Phase& before = scenario.phases[index - 1];
  if (!planned_length_us(before))
    refuse(fmt::format("{} begins when {} ends, and only its answers tell when", name,
                       in_quotes(before.name)),
           R"(give it a "start", or the one before it a "for")");
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
    refuse("the parts have to begin at one time", "such as --start-at 2026-11-21T10:00:00Z");
  if (scenario.clock == ScenarioClock::virtual_time)
    refuse("each machine would have a virtual clock of its own", "take the wall clock");
  if (scenario.target.kind == TargetKind::embedded || scenario.target.kind == TargetKind::serve)
    refuse("each machine would have a Redis of its own", "name one with --redis, or --target");
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
