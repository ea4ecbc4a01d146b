// What the user says about logs that do not say it themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status_set.h"
#include "log/formats/columns.h"

namespace rlctl {

// Where in a request the log's one stamp lies; the decision was made between start and end.
enum class StampAt : std::uint8_t { detected, start, end };

struct LogReadOptions {
  std::string format;  // json, csv, nginx, apache, haproxy or a log_format; empty: detected
  LogColumns columns;
  StampAt stamp_at = StampAt::detected;
  std::optional<std::int64_t> longest_us;  // where the log has no durations: no request took longer
  StatusSet allowed{"100-399", "--allowed"};
  StatusSet denied{"429", "--denied"};
  double bad_lines = 0.01;  // the share above which a log is refused
};

}  // namespace rlctl
