#include "run/scenario_run.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "io/clock.h"
#include "io/workers.h"
#include "run/scenario_play.h"
#include "scenario/playable.h"
#include "scenario/speed_up.h"

namespace rlctl {
namespace {

// A thread's part of a run: all of it, if there is one thread.
struct Part {
  // Without a loop and a progress, it has its own.
  Part(Loop* given, ScenarioProgress* shown, const Scenario& whole, const ScenarioPlan& of_all,
       Shard shard, ThreadsTogether& together)
      : own_loop(given != nullptr ? nullptr : std::make_unique<Loop>(Loop::Timers::precise)),
        scenario(whole),
        plan(of_all) {
    if (own_loop) own_loop->follow_signals();
    if (own_loop && plan.redis) plan.redis = plan.redis->for_another_thread();
    if (!shard.is_whole()) scenario.shard = shard;
    ScenarioProgress& told = shown != nullptr ? *shown : own_progress;
    run.emplace(given != nullptr ? *given : *own_loop, scenario, plan, told, together);
  }

  std::unique_ptr<Loop> own_loop;
  Scenario scenario;
  ScenarioPlan plan;
  ScenarioProgress own_progress;
  std::optional<ScenarioPlay> run;
};

using Parts = std::vector<std::unique_ptr<Part>>;

Parts parts_of(Loop& loop, const Scenario& scenario, const ScenarioPlan& plan,
               ScenarioProgress& progress, ThreadsTogether& together) {
  Parts parts;
  const auto count = static_cast<std::uint32_t>(plan.threads);
  for (std::uint32_t i = 1; i <= count; ++i)
    parts.push_back(std::make_unique<Part>(i == 1 ? &loop : nullptr, i == 1 ? &progress : nullptr,
                                           scenario, plan, Shard{i, count}, together));
  return parts;
}

bool open_all(const Parts& parts, ThreadsTogether& together, ScenarioResult& result) {
  for (const auto& part : parts) {
    if (part->run->open()) continue;
    result = part->run->finish();
    return false;
  }
  if (parts.size() > 1) together.started_us = now_us();
  return true;
}

ScenarioResult play_once(Loop& loop, Scenario scenario, ScenarioPlan plan,
                         ScenarioProgress& progress) {
  std::optional<EmbeddedRedis> shared;
  if (plan.threads > 1 && scenario.target.kind == TargetKind::embedded) {
    shared.emplace(plan.embedded);
    loop.run(shared->get_ready(loop));
    plan.redis = shared->endpoint();
    scenario.target.kind = TargetKind::redis;
  }
  ThreadsTogether together(static_cast<std::size_t>(plan.threads), scenario.phases.size());
  const Parts parts = parts_of(loop, scenario, plan, progress, together);
  ScenarioResult result;
  if (!open_all(parts, together, result)) return result;
  work_on_threads(
      parts.size(), parts.size(), [&](std::size_t i) { parts[i]->run->play(); },
      [](std::size_t) {});
  Part& first = *parts.front();
  first.run->close();
  for (const auto& part : parts) part->run->end_log();
  for (std::size_t i = 1; i < parts.size(); ++i) first.run->add(*parts[i]->run);
  if (parts.size() > 1) first.scenario.shard = {};  // from here on it is the whole
  return first.run->finish();
}

}  // namespace

void check_faults_fit(const Scenario& scenario, const std::optional<ClusterSize>& cluster) {
  for (const Fault& fault : scenario.faults) {
    const Needs needs = fault.row().needs;
    if (needs != Needs::any && !cluster)
      throw Error(Exit::usage, std::string(fault.row().name) + ": it needs a private cluster",
                  "start with --embedded cluster:3+3");
    if (needs == Needs::replicas && cluster->replicas < cluster->masters)
      throw Error(Exit::usage,
                  std::string(fault.row().name) + ": it needs a replica of every master",
                  "start with --embedded cluster:3+3");
  }
  check_faults_together(scenario, cluster.has_value());
}

ScenarioResult run_scenario(Loop& loop, const Scenario& scenario, const ScenarioPlan& plan,
                            ScenarioProgress& progress) {
  // Created here, not in a coroutine: its connections must outlive the coroutines that they resume.
  const Scenario played = sped_up(scenario);
  // An external limiter would still count the first attempt during the second one, and a run with a
  // fixed start time cannot start again.
  const bool only_once = scenario.target.kind == TargetKind::http || scenario.start_at_us;
  const std::int64_t attempts = only_once ? 1 : plan.attempts;
  for (std::int64_t attempt = 1;; ++attempt) {
    progress = {};
    ScenarioResult result = play_once(loop, played, plan, progress);
    if (attempt > 1)
      result.notes.push_back(fmt::format(
          "played {} times: too many requests were sent late in the earlier attempts", attempt));
    // A violation is proof, even if the traffic was late.
    const bool in_vain = result.too_late && result.outcome == ScenarioOutcome::inconclusive;
    if (!in_vain || result.interrupted || attempt >= attempts) return result;
    if (plan.log != nullptr) plan.log->start_over();
  }
}

}  // namespace rlctl
