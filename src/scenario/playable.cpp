#include "scenario/playable.h"

#include <string>

#include "base/escape.h"

namespace rlctl {

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

void check_faults(const Scenario& scenario, bool allowed) {
  for (const Fault& fault : scenario.faults) {
    const FaultRow& row = fault.row();
    if (const auto problem = why_not_played(row, scenario.target.kind))
      throw Error(Exit::usage, std::string(row.name) + ": " + problem->what(), problem->hint());
    if (scenario.target.kind == TargetKind::redis && row.harm == Harm::passing && !allowed)
      throw Error(Exit::usage,
                  std::string(row.name) + ": rlctl did not start this Redis (" + row.sentence + ")",
                  "if you may do that, add --allow-faults");
  }
}

}  // namespace rlctl
