// Logs as `compare` uses them: each phase of each history, divided into slices of equally many
// operations, which serve as rounds; and the figures of the verdict, if there is a policy. Pure.
// Throws Error(Exit::usage) as judge() does, and if the logs have too few records to compare.
#pragma once

#include <cstddef>
#include <string>

#include "compare/measured_run.h"
#include "log/log_parser.h"

namespace rlctl {

// Operations with durations: a phase with fewer has no latencies.
inline constexpr std::size_t kLeastForLatencies = 200;

MeasuredRun measured_logs(ParsedLogs logs, const std::string& path);

}  // namespace rlctl
