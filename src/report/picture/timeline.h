// Counts of allowed and denied requests in each time slice of a run. Pure; O(n).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "log/record.h"

namespace rlctl {

struct TimelineSlice {
  std::int64_t allowed = 0;
  std::int64_t denied = 0;
  std::int64_t other = 0;  // unknown or failed
};

// The records to count; all records if no member is set.
struct TimelineSelection {
  std::optional<std::uint8_t> phase;
  std::optional<std::uint32_t> key;
  std::int64_t from_us = std::numeric_limits<std::int64_t>::min();
  std::int64_t to_us = std::numeric_limits<std::int64_t>::max();
  bool whole_span = false;  // slices from `from_us` to `to_us`, also without records
};

struct Timeline {
  std::int64_t start_us = 0;
  std::int64_t slice_us = 1;
  std::vector<TimelineSlice> slices;
};

// The best known time of the decision: the limiter's stamp, otherwise the receive time, the send
// time, or the planned time.
std::int64_t moment_of(const Record& record);

// At most `most_slices` slices of a round length (1, 2 or 5 times a power of ten, or a round number
// of minutes or hours). They start at a multiple of that length. No slice is shorter than the
// resolution of the log's stamps. Counts only the selected records.
Timeline select_timeline(const Log& log, const TimelineSelection& selection,
                         std::size_t most_slices);

// The same for one phase, or for all.
Timeline make_timeline(const Log& log, std::optional<std::uint8_t> phase, std::size_t most_slices);

// Answers (allowed or denied) per second of time, by slice.
std::vector<double> answered_per_second(const Timeline& timeline);

}  // namespace rlctl
