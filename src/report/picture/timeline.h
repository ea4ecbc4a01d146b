// What was allowed and denied in each slice of a run's time. Pure; O(n).
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

// Which records are counted; everything when nothing is given.
struct TimelineSelection {
  std::optional<std::uint8_t> phase;
  std::optional<std::uint32_t> key;
  std::int64_t from_us = std::numeric_limits<std::int64_t>::min();
  std::int64_t to_us = std::numeric_limits<std::int64_t>::max();
  bool whole_span = false;  // slices from `from_us` to `to_us`, also where no record is
};

struct Timeline {
  std::int64_t start_us = 0;
  std::int64_t slice_us = 1;
  std::vector<TimelineSlice> slices;
};

// When the decision was made, as well as it is known: the limiter's stamp, else the answer, else
// the sending, else the plan.
std::int64_t moment_of(const Record& record);

// Slices of a round length (1, 2 or 5 times a power of ten, or a part of a minute or an hour), at
// most `most_slices` of them, from a multiple of it on. Only the records selected.
Timeline select_timeline(const Log& log, const TimelineSelection& selection,
                         std::size_t most_slices);

// As above, of one phase, or of all.
Timeline make_timeline(const Log& log, std::optional<std::uint8_t> phase, std::size_t most_slices);

// Answers (allowed or denied) per second of time, by slice.
std::vector<double> answered_per_second(const Timeline& timeline);

}  // namespace rlctl
