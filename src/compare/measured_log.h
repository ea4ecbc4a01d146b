// Logs as `compare` sees them: each phase of each history cut into slices of as many operations,
// which stand for rounds; and the figures of the verdict, where there is a policy to judge by.
// Pure. Throws Error(Exit::usage) as judge() does, and when the logs hold too little to compare
// anything.
#pragma once

#include <string>

#include "compare/measured_run.h"
#include "log/log_parser.h"

namespace rlctl {

MeasuredRun measured_logs(ParsedLogs logs, const std::string& path);

}  // namespace rlctl
