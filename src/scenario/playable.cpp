#include "scenario/playable.h"

#include <algorithm>
#include <string>

#include "base/escape.h"

namespace rlctl {
namespace {

bool disturbs(const Fault& fault) { return fault.row().harm == Harm::passing; }

}  // namespace

std::optional<Error> why_not_played(const FaultRow& fault, TargetKind target) {
  const bool over_http = target == TargetKind::http;
  if (fault.of_clients && (over_http || target == TargetKind::serve))
    return Error(Exit::usage, kNoClientClock, kDecidingClients);
  if (over_http)
    return Error(Exit::usage, "rlctl cannot reach the target's Redis",
                 "use an embedded or serve target");
  if (target == TargetKind::redis && fault.harm == Harm::lasting)
    return Error(Exit::usage, "rlctl does this only to a Redis that it started, never to yours",
                 "play it on a private server: without --redis; in a scenario, "
                 R"("target": {"kind": "embedded"})");
  return std::nullopt;
}

bool needs_permission(const Scenario& scenario) {
  return scenario.target.kind == TargetKind::redis &&
         std::ranges::any_of(scenario.faults, disturbs);
}

void check_faults(const Scenario& scenario, bool allowed) {
  for (const Fault& fault : scenario.faults) {
    const FaultRow& row = fault.row();
    if (const auto problem = why_not_played(row, scenario.target.kind))
      throw Error(Exit::usage, std::string(row.name) + ": " + problem->what(), problem->hint());
  }
  if (allowed || !needs_permission(scenario)) return;
  throw Error(Exit::usage,
              std::string(std::ranges::find_if(scenario.faults, disturbs)->row().name) +
                  ": this is a fault on a Redis that rlctl did not start",
              "if you may disturb that Redis, add --allow-faults");
}

}  // namespace rlctl
