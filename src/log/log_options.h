// The user's settings for facts that a log does not contain. Values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/status_set.h"
#include "log/formats/columns.h"
#include "log/formats/stamp.h"

namespace rlctl {

class LogParts;
struct Log;

struct LogReadOptions {
  std::string format;  // a name of log/formats/known_formats.h, or a log_format; empty: detected
  LogColumns columns;
  StampAt stamp_at = StampAt::detected;
  std::optional<std::int64_t> longest_us;  // no durations: the longest a request may take
  StatusSet allowed{"100-399", "--allowed"};
  StatusSet denied{"429", "--denied"};
  // They are the user's: they go before the outcome of a record that has a status.
  bool says_allowed = false;
  bool says_denied = false;
  // Where to hold the records of the log that begins like this, without its records; empty, or
  // null: in Log::records.
  std::function<std::shared_ptr<LogParts>(const Log& head)> parts;
  double bad_lines = 0.01;  // maximum share; above it the log is rejected
  std::size_t threads = 1;  // that read lines, below 2: the caller's; the result is the same
};

// For verbs that have no options for this: nothing tells the user to add one.
inline LogReadOptions without_log_options() {
  LogReadOptions options;
  options.columns.set_by_no_option();
  return options;
}

}  // namespace rlctl
