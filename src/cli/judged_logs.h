// Judges logs with the options of verify: whole, or the keys of one machine's part, which are
// joined with those of the others. Calls `watcher` while it works. Throws Error(Exit::usage) if
// there is no policy and no contract to judge by.
#pragma once

#include <vector>

#include "cli/options/verify_options.h"
#include "log/log_parser.h"
#include "result/log_portion.h"
#include "verdict/outcome/verify_result.h"

namespace rlctl {

VerifyResult judge_logs(ParsedLogs logs, const VerifyOptions& options,
                        const WorkWatcher& watcher = {});

// The records are held by parts.
LogPortion judge_portion(ParsedLogs logs, const VerifyOptions& options, const Shard& part,
                         const WorkWatcher& watcher);

// What judge_logs() would say of the whole log. Throws Error(Exit::usage) if they do not belong
// together. Not empty.
VerifyResult join_portions(std::vector<LogPortion> portions);

}  // namespace rlctl
