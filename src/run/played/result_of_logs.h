// The result of a scenario that was played before, from its logs: those of a run, or of all parts
// of one that several machines played (--shard). None of the parts knows what the others measured,
// so that only their logs together decide what the scenario expects.
//
// Without one of the parts, nothing is decided. Throws Error(Exit::usage) if the logs are not those
// of the scenario. Pure.
#pragma once

#include "log/log_parser.h"
#include "scenario/scenario_result.h"

namespace rlctl {

ScenarioResult result_of_logs(const Scenario& scenario, ParsedLogs logs);

}  // namespace rlctl
