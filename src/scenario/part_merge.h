// A run that several threads have played, each its part, becomes one: as the logs of several
// machines do. Pure.
#pragma once

#include "log/record.h"
#include "scenario/scenario_result.h"

namespace rlctl {

// Adds the decisions of another part, whose keys, phases and names are those of the log.
void append_part(Log& log, Log part);

void add_part(PhaseResult& phase, const PhaseResult& part);

}  // namespace rlctl
