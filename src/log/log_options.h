// The user's settings for facts that a log does not contain. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status_set.h"
#include "base/words.h"
#include "log/formats/columns.h"

namespace rlctl {

// Which moment of a request the log's only stamp marks. The decision was made between start and
// end.
enum class StampAt : std::uint8_t { detected, start, end };
inline constexpr Word<StampAt> kStampAtWords[] = {{"start", StampAt::start}, {"end", StampAt::end}};
constexpr std::span<const Word<StampAt>> words_of(StampAt) { return kStampAtWords; }

struct LogReadOptions {
  std::string format;  // json, csv, nginx, apache, haproxy or a log_format; empty: detected
  LogColumns columns;
  StampAt stamp_at = StampAt::detected;
  std::optional<std::int64_t> longest_us;  // no durations: the longest a request may take
  StatusSet allowed{"100-399", "--allowed"};
  StatusSet denied{"429", "--denied"};
  double bad_lines = 0.01;  // maximum share; above it the log is rejected
};

}  // namespace rlctl
