// Writes logs to a file, one after the other; .csv is CSV, anything else JSON Lines
// (log/log_encoder.h). "-" is standard output. The file appears whole at close(), or not at all
// (io/atomic_file.h). If nothing was written, no file appears, so that a run that did not begin
// does not replace the log of the last run.
//
// Throws Error(Exit::report). One thread at a time.
#pragma once

#include <string>

#include "io/atomic_file.h"
#include "log/log_encoder.h"

namespace rlctl {

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
