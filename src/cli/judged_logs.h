// Logs that were read, judged by the options of verify: what verify prints and report draws.
// Throws Error(Exit::usage) where there is nothing to judge by.
#pragma once

#include "cli/options/verify_options.h"
#include "verdict/verify_result.h"

namespace rlctl {

// `watcher` is told of every key.
VerifyResult judge_logs(ParsedLogs logs, const VerifyOptions& options,
                        const WorkWatcher& watcher = {});

}  // namespace rlctl
