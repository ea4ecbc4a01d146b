#include "run/policy_play.h"

#include "base/error.h"
#include "base/escape.h"
#include "limiter/script_limiter.h"
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
    log_.terms.tolerance_us = kUnknownClockUs;
  else
    choose_script(registry, time);
  log_.names = client_names_in(log_);
  if (spec.tolerance_us) log_.terms.tolerance_us = *spec.tolerance_us;
  if (target == TargetKind::embedded || target == TargetKind::redis)
    call_ = std::make_unique<ScriptCall>(*script_, spec.policy, time);
}

void PolicyPlay::choose_script(const Registry& registry, TimeSource time) {
  Script script =
      registry.find(spec_.script.empty() ? spec_.algorithm : spec_.script, spec_.manifest);
  if (script.manifest.is_command()) log_.algorithm = script.name;
  if (!spec_.contract) log_.contract = script.manifest.promises(spec_.policy.numbers());
  log_.terms.tolerance_us = tolerance_us_of(script.manifest);
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

}  // namespace rlctl
