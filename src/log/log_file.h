// Reads log files, packed or not, into histories (log/log_parser.h); "-" is standard input. Throws
// Error(Exit::usage), also if a file is given twice. One thread at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

// Writes logs to a file; .csv is CSV, anything else JSON Lines (log/log_encoder.h). "-" is standard
// output. The file appears whole at close(), or not at all. If nothing was written, no file
// appears, so that a run that did not begin does not replace the log of the last run. What was
// written before that is in FILE.partial, also if rlctl is killed (io/atomic_file.h), unless it is
// hidden meanwhile.
//
// Throws Error(Exit::report). One thread at a time.

class LogWriter {
 public:
  explicit LogWriter(const std::string& path,
                     AtomicFile::While written = AtomicFile::While::readable)
      : file_(path, written), format_(log_format_of(path)) {}

  // Of a log that still grows: at most so many of the records that are not in the file yet. Those
  // whose finish may still come have to wait. A pipe gets nothing before write(). If several
  // threads play one log, each has its own Log with the same names, and its own number here.
  void grow(const Log& log, std::size_t most, std::size_t thread = 0);
  // The rest of what one of several threads has played. After the last of them, their records are
  // those of one log, for write().
  void grow_to_end(const Log& log, std::size_t thread);
  // What grew is played again.
  void start_over();
  // The whole log, or what is missing of one that grew, and its end.
  void write(const Log& log);
  void close();

 private:
  struct Reached {
    std::size_t next = 0;  // the first record that was never asked for
    std::set<std::size_t> waiting;
  };
  struct Part {
    explicit Part(LogFormat format) : encoder(format) {}
    LogEncoder encoder;
    std::size_t number = 0;                  // in the file
    std::map<std::size_t, Reached> reached;  // by thread, if it has not ended
    std::size_t ended = 0;                   // records of the threads that have
  };
  using Name = std::pair<std::string, std::string>;  // the algorithm and the history

  Part& turn_of(const Log& log, std::string& chunk);
  Reached reached_in(const Log& log, std::size_t thread) const;
  void append_rest(const Log& log, Part& part, const Reached& reached, std::string& chunk);
  void append(const Log& log, Part& part, std::size_t index, std::string& chunk);

  AtomicFile file_;
  LogFormat format_;
  std::map<Name, Part> parts_;  // that have no end yet
  const Part* turn_ = nullptr;  // which one the end of the file belongs to
  std::size_t logs_ = 0;
  std::size_t whole_logs_ = 0;
  std::int64_t whole_bytes_ = 0;  // up to the end of all logs that are whole
};

}  // namespace rlctl
