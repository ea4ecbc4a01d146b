#include "report/timeline_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/table.h"
#include "base/text.h"
#include "base/units.h"

namespace rlctl {
namespace {

constexpr std::size_t kBarColumns = 36;
constexpr std::size_t kLeastBar = 6;  // of a bar

// The time of day, with as many digits as the slices need; of more than a day, also the day.
std::string time_in(const Timeline& timeline, std::int64_t us) {
  const std::int64_t slice_us = timeline.slice_us;
  const auto slices = static_cast<std::int64_t>(timeline.slices.size());
  const auto seconds = static_cast<std::time_t>(us / 1'000'000);
  std::string text = fmt::format("{:%H:%M:%S}", fmt::gmtime(seconds));
  if (slices * slice_us > kDayUs) text = fmt::format("{:%F} ", fmt::gmtime(seconds)) + text;
  int digits = 0;
  for (std::int64_t unit_us = 1'000'000; unit_us > slice_us && unit_us > 1; unit_us /= 10) ++digits;
  if (digits > 0) text += "." + fmt::format("{:06d}", us % 1'000'000).substr(0, digits);
  return text;
}

std::int64_t all_of(const TimelineSlice& slice) {
  return slice.allowed + slice.denied + slice.other;
}

// At least one mark for a count above zero.
std::string marks(std::int64_t count, std::int64_t most, std::size_t columns, char mark) {
  if (count == 0) return {};
  const std::int64_t share = count * static_cast<std::int64_t>(columns) / most;
  return std::string(static_cast<std::size_t>(std::max<std::int64_t>(1, share)), mark);
}

// How bars are drawn: beside the other columns, under their legend, or below each row, where the
// legend stands before the table.
struct BarStyle {
  std::size_t columns = kBarColumns;
  std::string legend, edge = "<- edge";
  bool is_below = false;
};

std::string legend_of(bool other, const char* separator) {
  return fmt::format("# allowed{0}. denied{1}", separator,
                     other ? separator + std::string("? undecided") : "");
}

std::size_t room_within(std::size_t width, std::size_t taken, const BarStyle& style) {
  return width - std::min(width, taken + 2 + style.edge.size());
}

// `beside`: what the other columns take. On a narrow screen the words of the bars are shorter.
BarStyle style_beside(bool other, std::size_t beside, std::size_t width) {
  BarStyle style;
  style.legend = legend_of(other, ", ");
  if (width == 0 || room_within(width, beside, style) >= kBarColumns) return style;
  if (room_within(width, beside, style) < style.legend.size()) {
    style.legend = legend_of(other, "\n");
    style.edge = "<-";
  }
  style.columns = std::clamp(room_within(width, beside, style), kLeastBar, kBarColumns);
  return style;
}

// As a table places a last column that has no header and does not fit.
BarStyle style_below(bool other, std::size_t width) {
  constexpr std::size_t kMarksIndent = 6;
  BarStyle style;
  style.is_below = true;
  style.legend = legend_of(other, ", ");
  if (style.legend.size() + 2 > width) style.legend = legend_of(other, "\n");
  style.edge = "<-";
  style.columns = std::clamp(room_within(width, kMarksIndent, style), kLeastBar, kBarColumns);
  return style;
}

// The edges of windows in a time.
// `edge`: the words for one.
std::string edges_in_words(std::int64_t start_us, std::int64_t length_us, std::int64_t window_us,
                           const std::string& edge) {
  if (window_us <= 0) return {};
  const std::int64_t edges = (start_us + length_us - 1) / window_us - (start_us - 1) / window_us;
  if (edges == 0) return {};
  return edges == 1 ? edge : fmt::format("<- {} edges", format_count(edges));
}

std::string bar_of(const TimelineSlice& slice, std::int64_t most, std::size_t columns) {
  return marks(slice.allowed, most, columns, '#') + marks(slice.denied, most, columns, '.') +
         marks(slice.other, most, columns, '?');
}

// How many of the slices from `first` on are empty.
std::size_t empty_from(const Timeline& timeline, std::size_t first) {
  const auto begin = timeline.slices.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = std::find_if(begin, timeline.slices.end(),
                                [](const TimelineSlice& slice) { return all_of(slice) > 0; });
  return static_cast<std::size_t>(end - begin);
}

Table table_of(const Timeline& timeline, std::int64_t window_us, bool other,
               const BarStyle& style) {
  std::int64_t most = 1;
  for (const TimelineSlice& slice : timeline.slices) most = std::max(most, all_of(slice));
  Table table({{"UTC"},
               {"allowed", Align::right},
               {"denied", Align::right},
               {other ? "undecided" : "", Align::right},
               {style.is_below ? "" : style.legend}},
              2);
  for (std::size_t i = 0; i < timeline.slices.size(); ++i) {
    const TimelineSlice& slice = timeline.slices[i];
    const std::int64_t at_us = timeline.start_us + static_cast<std::int64_t>(i) * timeline.slice_us;
    // Several empty slices are one row, which has to say so: time would seem to go on evenly.
    const std::size_t slices = std::max<std::size_t>(1, empty_from(timeline, i));
    const std::int64_t length_us = static_cast<std::int64_t>(slices) * timeline.slice_us;
    std::string bar = bar_of(slice, most, style.columns);
    if (slices > 1) bar = "(no requests for " + format_duration_for_people(length_us) + ")";
    const std::string edges = edges_in_words(at_us, length_us, window_us, style.edge);
    bar += std::string(bar.empty() || edges.empty() ? "" : "  ") + edges;
    i += slices - 1;
    table.add_row({time_in(timeline, at_us), format_count(slice.allowed),
                   format_count(slice.denied), other ? format_count(slice.other) : "", bar});
  }
  return table;
}

}  // namespace

std::string timeline_text(const Timeline& timeline, std::int64_t window_us, std::size_t width) {
  const bool other = std::ranges::any_of(
      timeline.slices, [](const TimelineSlice& slice) { return slice.other > 0; });
  const std::size_t time = time_in(timeline, timeline.start_us).size();
  const std::size_t beside = 2 + time + 2 + 7 + 2 + 6 + 2 + (other ? 9 + 2 : 0);
  const Table table = table_of(timeline, window_us, other, style_beside(other, beside, width));
  if (width == 0 || table.width() <= width) return table.text();
  const BarStyle below = style_below(other, width);
  std::string text;
  for (const std::string& line : split(below.legend, '\n')) text += "  " + line + "\n";
  return text + table_of(timeline, window_us, other, below).text(width);
}

}  // namespace rlctl
