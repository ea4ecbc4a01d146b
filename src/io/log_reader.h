// Log files to histories (core/log_parser.h), packed or not; "-" is standard input.
// Throws Error(Exit::usage), also for a file that is given twice. One thread at a time.
#pragma once

#include <span>
#include <string>

#include "core/log_parser.h"

namespace rlctl {

ParsedLogs read_logs(std::span<const std::string> paths, const LogReadOptions& options);

}  // namespace rlctl
