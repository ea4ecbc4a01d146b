#include "report/picture/timeline.h"

#include <algorithm>
#include <limits>

namespace rlctl {
namespace {

constexpr std::int64_t kCoarsestGridUs = 60'000'000;

std::int64_t round_length_us(std::int64_t least_us) {
  constexpr std::int64_t kSecond = 1'000'000;
  for (std::int64_t unit_us = 1; unit_us < kSecond * 10; unit_us *= 10)
    for (const std::int64_t times : {1, 2, 5})
      if (unit_us * times >= least_us) return unit_us * times;
  for (const std::int64_t seconds :
       {60, 120, 300, 600, 1'800, 3'600, 7'200, 21'600, 43'200, 86'400})
    if (seconds * kSecond >= least_us) return seconds * kSecond;
  return (least_us / (86'400 * kSecond) + 1) * 86'400 * kSecond;
}

bool is_on_grid(const Log& log, std::int64_t Record::*time, std::int64_t grid_us) {
  const std::int64_t phase_us = log.records.front().*time % grid_us;
  return std::ranges::all_of(log.records, [&](const Record& record) {
    return record.*time != kNoTime && record.*time % grid_us == phase_us;
  });
}

// The resolution of the log's stamps: all of them are on a grid, and no decision is known more
// precisely. In a log of rlctl, sending and answers are on no grid, unless the time is virtual, and
// then it is exact.
std::int64_t resolution_us(const Log& log) {
  std::int64_t finest_us = kCoarsestGridUs;
  for (const Record& record : log.records) {
    if (record.server_us != kNoTime) return 1;
    if (record.sent_us == kNoTime || record.received_us == kNoTime) continue;
    finest_us = std::min(finest_us, record.received_us - record.sent_us + 1);
  }
  if (log.records.empty()) return 1;
  for (std::int64_t grid_us : {kCoarsestGridUs, std::int64_t{1'000'000}, std::int64_t{100'000},
                               std::int64_t{10'000}, std::int64_t{1'000}})
    if (grid_us <= finest_us && (is_on_grid(log, &Record::sent_us, grid_us) ||
                                 is_on_grid(log, &Record::received_us, grid_us)))
      return grid_us;
  return 1;
}

}  // namespace

std::int64_t moment_of(const Record& record) {
  if (record.server_us != kNoTime) return record.server_us;
  if (record.received_us != kNoTime) return record.received_us;
  return record.sent_us != kNoTime ? record.sent_us : record.intended_us;
}

Timeline select_timeline(const Log& log, const TimelineSelection& selection,
                         std::size_t most_slices) {
  std::int64_t first_us = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_us = std::numeric_limits<std::int64_t>::min();
  const auto counts = [&](const Record& record) {
    const std::int64_t moment_us = moment_of(record);
    return (!selection.phase || record.phase == *selection.phase) &&
           (!selection.key || record.key == *selection.key) && moment_us != kNoTime &&
           moment_us >= selection.from_us && moment_us <= selection.to_us;
  };
  if (selection.whole_span) {
    first_us = selection.from_us;
    last_us = selection.to_us;
  }
  for (const Record& record : log.records) {
    if (!counts(record)) continue;
    first_us = std::min(first_us, moment_of(record));
    last_us = std::max(last_us, moment_of(record));
  }
  Timeline timeline;
  if (first_us > last_us) return timeline;
  // Use one slice less than allowed, because the first slice begins before the first record.
  const auto parts = static_cast<std::int64_t>(std::max<std::size_t>(most_slices, 2)) - 1;
  timeline.slice_us =
      round_length_us(std::max((last_us - first_us) / parts + 1, resolution_us(log)));
  timeline.start_us = first_us / timeline.slice_us * timeline.slice_us;
  timeline.slices.resize(
      static_cast<std::size_t>((last_us - timeline.start_us) / timeline.slice_us + 1));
  for (const Record& record : log.records) {
    if (!counts(record)) continue;
    const auto index = (moment_of(record) - timeline.start_us) / timeline.slice_us;
    TimelineSlice& slice = timeline.slices[static_cast<std::size_t>(index)];
    if (record.outcome == Outcome::allowed)
      ++slice.allowed;
    else
      ++(record.outcome == Outcome::denied ? slice.denied : slice.other);
  }
  return timeline;
}

Timeline make_timeline(const Log& log, std::optional<std::uint8_t> phase, std::size_t most_slices) {
  TimelineSelection selection;
  selection.phase = phase;
  return select_timeline(log, selection, most_slices);
}

std::vector<double> answered_per_second(const Timeline& timeline) {
  std::vector<double> rates;
  rates.reserve(timeline.slices.size());
  for (const TimelineSlice& slice : timeline.slices)
    rates.push_back(static_cast<double>(slice.allowed + slice.denied) * 1e6 /
                    static_cast<double>(timeline.slice_us));
  return rates;
}

}  // namespace rlctl
