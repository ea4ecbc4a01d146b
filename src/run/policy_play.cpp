#include "run/policy_play.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "limiter/wrapper.h"
#include "run/client_names.h"
#include "run/expiry_probe.h"

namespace rlctl {
PolicyPlay::PolicyPlay(const PolicySpec& spec, const Registry& registry, TargetKind target,
                       TimeSource time)
    : spec_(spec) {
  log_.algorithm = spec.algorithm.empty() ? spec.name : spec.algorithm;
  log_.policy = spec.policy;
  log_.contract = spec.contract.value_or(Rules());
  if (target == TargetKind::http)
    log_.tolerance_us = kUnknownClockUs;
  else
    choose_script(registry, time);
  log_.names = client_names_in(log_);
  if (spec.tolerance_us) log_.tolerance_us = *spec.tolerance_us;
  if (target == TargetKind::embedded || target == TargetKind::redis)
    call_ = std::make_unique<ScriptCall>(*script_, spec.policy, time);
}

void PolicyPlay::choose_script(const Registry& registry, TimeSource time) {
  Script script =
      registry.find(spec_.script.empty() ? spec_.algorithm : spec_.script, spec_.manifest);
  if (script.manifest.is_command()) log_.algorithm = script.name;
  if (!spec_.contract) log_.contract = script.manifest.promises(spec_.policy.numbers());
  log_.tolerance_us = tolerance_us_of(script.manifest);
  if (spec_.run != RunChoice::as_manifest)
    script = run_at(std::move(script),
                    spec_.run == RunChoice::client ? RunPlace::client : RunPlace::server);
  require_one_step(script, spec_.wait);
  if (spec_.policy.block_us > 0) script = with_block(std::move(script));
  if (time == TimeSource::virtual_time) require_virtual_clock(script, spec_.policy);
  if (time == TimeSource::real) script = with_stamps(std::move(script));
  script_ = std::move(script);
  log_.has_finishes = has_finish();
}

namespace {

// Closed-loop users (users, consumers) have no schedule, so they cannot be late.
bool has_schedule(const Scenario& scenario, const PolicySpec& spec) {
  return std::ranges::any_of(scenario.phases, [&](const Phase& phase) {
    return &scenario.policies[phase.policy] == &spec && phase.model != TrafficModel::users &&
           phase.model != TrafficModel::consumers;
  });
}

}  // namespace

JudgeOptions judge_options_of(const Scenario& scenario, const PolicySpec& spec, const Log& log) {
  JudgeOptions options;
  options.tolerance_us = log.tolerance_us;
  options.fresh = spec.fresh || scenario.target.kind != TargetKind::http;
  options.fresh_is_promised = spec.fresh && scenario.target.kind == TargetKind::http;
  options.allowed_false_denials = spec.allowed_false_denials;
  options.held_at_least_us = spec.held_at_least_us;
  options.max_inflight_us = spec.max_inflight_us;
  options.budgets.unknown_share = scenario.budget.unknown_share;
  options.budgets.failed_share = scenario.budget.failed_share;
  if (has_schedule(scenario, spec)) options.budgets.late_share = scenario.budget.late_share;
  options.budgets.late_after_us = scenario.budget.late_after_us;
  options.budgets.dropped_share = scenario.budget.dropped_share;
  return options;
}

}  // namespace rlctl
