// Judges logs with the options of verify, for verify and report. Throws Error(Exit::usage) if there
// is no policy and no contract to judge by.
#pragma once

#include "cli/options/verify_options.h"
#include "verdict/verify_result.h"

namespace rlctl {

// Calls `watcher` for every key.
VerifyResult judge_logs(ParsedLogs logs, const VerifyOptions& options,
                        const WorkWatcher& watcher = {});

}  // namespace rlctl
