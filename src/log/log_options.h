// The user's settings for facts that a log does not contain. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status_set.h"
#include "log/formats/columns.h"
#include "log/formats/stamp.h"

namespace rlctl {

struct LogReadOptions {
  std::string format;  // a name of log/formats/known_formats.h, or a log_format; empty: detected
  LogColumns columns;
  StampAt stamp_at = StampAt::detected;
  std::optional<std::int64_t> longest_us;  // no durations: the longest a request may take
  StatusSet allowed{"100-399", "--allowed"};
  StatusSet denied{"429", "--denied"};
  double bad_lines = 0.01;  // maximum share; above it the log is rejected
};

}  // namespace rlctl
