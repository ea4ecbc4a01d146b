// Log files to histories (log/log_parser.h), packed or not; "-" is standard input.
// Throws Error(Exit::usage), also for a file that is given twice. One thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/work.h"
#include "log/log_parser.h"

namespace rlctl {

// `watcher` is told of every chunk: bytes read of all, as far as the sizes are known.
ParsedLogs read_logs(std::span<const std::string> paths, const LogReadOptions& options,
                     const WorkWatcher& watcher = {});

// Files that are no logs are told by how they begin, and read whole.
struct OtherText {
  std::string name;
  std::string text;
};
struct LogsAndOthers {
  std::optional<ParsedLogs> logs;  // empty: no file was a log
  std::vector<OtherText> others;
};
using IsOther = std::function<bool(std::string_view beginning)>;

LogsAndOthers read_logs_and_others(std::span<const std::string> paths,
                                   const LogReadOptions& options, const IsOther& is_other,
                                   const WorkWatcher& watcher = {});

}  // namespace rlctl
