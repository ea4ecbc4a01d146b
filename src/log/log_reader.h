// Reads log files, packed or not, into histories (log/log_parser.h); "-" is standard input. Throws
// Error(Exit::usage), also if a file is given twice. One thread at a time.
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

// `watcher` is called for every chunk with the bytes read so far and the total, as far as sizes are
// known.
ParsedLogs read_logs(std::span<const std::string> paths, const LogReadOptions& options,
                     const WorkWatcher& watcher = {});

// Recognizes files that are not logs by how they begin, and reads them whole.
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
