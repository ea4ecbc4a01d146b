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
#include "io/atomic_file.h"
#include "log/log_encoder.h"
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

// Writes logs to a file, one after the other; .csv is CSV, anything else JSON Lines
// (log/log_encoder.h). "-" is standard output. The file appears whole at close(), or not at all
// (io/atomic_file.h). If nothing was written, no file appears, so that a run that did not begin
// does not replace the log of the last run.
//
// Throws Error(Exit::report). One thread at a time.

class LogWriter {
 public:
  explicit LogWriter(const std::string& path) : file_(path), encoder_(log_format_of(path)) {}

  void write(const Log& log);
  void close();

 private:
  AtomicFile file_;
  LogEncoder encoder_;
  bool any_ = false;
};

}  // namespace rlctl
