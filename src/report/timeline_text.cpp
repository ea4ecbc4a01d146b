#include "report/timeline_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/table.h"
#include "base/units.h"

namespace rlctl {
namespace {

constexpr std::int64_t kBarColumns = 36;

// The time of day, with as many digits as the slices need.
std::string time_of_day(std::int64_t us, std::int64_t slice_us) {
  const auto seconds = static_cast<std::time_t>(us / 1'000'000);
  std::string text = fmt::format("{:%H:%M:%S}", fmt::gmtime(seconds));
  int digits = 0;
  for (std::int64_t unit_us = 1'000'000; unit_us > slice_us && unit_us > 1; unit_us /= 10) ++digits;
  if (digits > 0) text += "." + fmt::format("{:06d}", us % 1'000'000).substr(0, digits);
  return text;
}

std::int64_t all_of(const TimelineSlice& slice) {
  return slice.allowed + slice.denied + slice.other;
}

// At least one mark for a count above zero.
std::string marks(std::int64_t count, std::int64_t most, char mark) {
  if (count == 0) return {};
  return std::string(
      static_cast<std::size_t>(std::max<std::int64_t>(1, count * kBarColumns / most)), mark);
}

bool holds_edge(std::int64_t slice_start_us, std::int64_t slice_us, std::int64_t window_us) {
  if (window_us <= 0) return false;
  return (slice_start_us + slice_us - 1) / window_us != (slice_start_us - 1) / window_us;
}

}  // namespace

std::string timeline_text(const Timeline& timeline, std::int64_t window_us) {
  std::int64_t most = 1;
  for (const TimelineSlice& slice : timeline.slices) most = std::max(most, all_of(slice));
  const bool other = std::ranges::any_of(
      timeline.slices, [](const TimelineSlice& slice) { return slice.other > 0; });
  Table table({{"UTC"},
               {"allowed", Align::right},
               {"denied", Align::right},
               {other ? "unknown" : "", Align::right},
               {"# allowed, . denied" + std::string(other ? ", ? unknown" : "")}},
              2);
  std::size_t empty = 0;
  for (std::size_t i = 0; i < timeline.slices.size(); ++i) {
    const TimelineSlice& slice = timeline.slices[i];
    const std::int64_t at_us = timeline.start_us + static_cast<std::int64_t>(i) * timeline.slice_us;
    empty = all_of(slice) == 0 ? empty + 1 : 0;
    if (empty > 1) continue;
    std::string bar = marks(slice.allowed, most, '#') + marks(slice.denied, most, '.') +
                      marks(slice.other, most, '?');
    if (holds_edge(at_us, timeline.slice_us, window_us))
      bar += std::string(bar.empty() ? "" : "  ") + "<- edge";
    table.add_row({time_of_day(at_us, timeline.slice_us), format_count(slice.allowed),
                   format_count(slice.denied), other ? format_count(slice.other) : "", bar});
  }
  return table.text();
}

}  // namespace rlctl
