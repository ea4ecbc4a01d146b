#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"
#include "report/page/formats.h"
#include "report/page/html_parts.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostPanels = 4;
constexpr double kPlotWidth = 372;
constexpr double kPlotHeight = 180;
constexpr double kPanelWidth = 440;
constexpr double kPanelHeight = 280;
constexpr double kLeft = 44;
constexpr double kTop = 48;

constexpr const char* kStyle =
    "text{font:12px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#566070}"
    ".t{font-weight:600;font-size:14px;fill:#14181f}.h{font-weight:600;font-size:17px}"
    ".bad{fill:#b42318}.good{fill:#067647}.doubtful{fill:#93590a}.neutral{fill:#344054}"
    ".a{fill:#2f6fde}.d{fill:#b9c1cd}.c{fill:none;stroke:#14181f;stroke-width:2}"
    ".o{fill:#d92d20;fill-opacity:.25}.n{fill:#8a94a5;fill-opacity:.14}"
    ".q{fill:none;stroke:#93590a;stroke-width:1.5;stroke-dasharray:5 "
    "3}.l{stroke:#c2410c;stroke-width:1.5;stroke-dasharray:6 4}"
    ".e{stroke:#8a94a5;stroke-dasharray:3 4}.w{fill:#d92d20;fill-opacity:.09}.x{stroke:#dfe3e9}"
    ".p{fill:#fff}.f{stroke:#9b59d0;stroke-width:2}.k{fill:#9b59d0;font-weight:600}"
    "@media(prefers-color-scheme:dark){text{fill:#9aa5b5}.t{fill:#e8ebf0}.p{fill:#171b22}"
    ".bad{fill:#ff8a80}.good{fill:#4cd39a}.doubtful{fill:#f5bd62}.neutral{fill:#c3ccd9}"
    ".a{fill:#5b95f5}.d{fill:#566172}.c{stroke:#e8ebf0}.o,.w{fill:#ff6b5e}"
    ".q{stroke:#f5bd62}"
    ".l{stroke:#fb923c}.x{stroke:#2b323d}}";

// What comparable panels share.
struct SvgScale {
  std::int64_t before_us = 0;  // before the start of the worst window
  std::int64_t after_us = 1;
  std::int64_t most = 1;

  double x(std::int64_t us) const {
    return kLeft + kPlotWidth * static_cast<double>(us + before_us) /
                       static_cast<double>(before_us + after_us);
  }
  double y(std::int64_t count) const {
    return kTop + kPlotHeight * (1 - static_cast<double>(count) / static_cast<double>(most));
  }
};

std::int64_t start_of(const CloseUp& close_up, std::size_t slice) {
  return close_up.timeline.start_us +
         static_cast<std::int64_t>(slice) * close_up.timeline.slice_us - close_up.window_from_us;
}

std::int64_t most_in(const CloseUp& close_up) {
  std::int64_t most = close_up.limit;
  for (const auto* counts : {&close_up.fill, &close_up.possible})
    for (const std::int64_t count : *counts) most = std::max(most, count);
  for (const TimelineSlice& slice : close_up.timeline.slices) most = std::max(most, slice.allowed);
  return most;
}

// Of all panels, but not of runs that are more than ten times larger than this one: beside them it
// would look empty.
SvgScale scale_of(const std::vector<const ReportRun*>& runs, const ReportRun& shown) {
  SvgScale scale;
  const std::int64_t largest = 10 * most_in(*shown.picture->close_up);
  for (const ReportRun* run : runs) {
    const CloseUp& close_up = *run->picture->close_up;
    scale.before_us = std::max(scale.before_us, -start_of(close_up, 0));
    scale.after_us = std::max(scale.after_us, start_of(close_up, close_up.fill.size()));
    if (const std::int64_t most = most_in(close_up); most <= largest)
      scale.most = std::max(scale.most, most);
  }
  scale.most += scale.most / 10 + 1;
  return scale;
}

// The requests of each slice as one path of bars; empty slices get no bar.
std::string bars(const CloseUp& close_up, const SvgScale& scale, std::int64_t TimelineSlice::*count,
                 const char* style) {
  std::string path;
  for (std::size_t i = 0; i < close_up.timeline.slices.size(); ++i) {
    const std::int64_t n = std::min(close_up.timeline.slices[i].*count, scale.most);
    if (n == 0) continue;
    const double from = scale.x(start_of(close_up, i));
    const double width = std::max(scale.x(start_of(close_up, i + 1)) - from, 1.0);
    path += fmt::format("M{:.1f} {:.1f}V{:.1f}h{:.1f}V{:.1f}z", from, scale.y(0), scale.y(n), width,
                        scale.y(0));
  }
  return path.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, path);
}

// A line with a step at each change.
std::string curve(const CloseUp& close_up, const SvgScale& scale,
                  const std::vector<std::int64_t>& counts, const char* style) {
  std::string line;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i == 0 || counts[i] != counts[i - 1])
      line += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", scale.x(start_of(close_up, i)),
                          scale.y(counts[i]));
    if (i + 1 == counts.size() || counts[i] != counts[i + 1])
      line += fmt::format("H{:.1f}", scale.x(start_of(close_up, i + 1)));
  }
  return line.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, line);
}

// Only what is proven is red.
std::string excess(const CloseUp& close_up, const SvgScale& scale) {
  if (close_up.over != OverAdmission::certain) return {};
  std::string over;
  for (std::size_t i = 0; i < close_up.fill.size(); ++i)
    if (const std::int64_t count = close_up.fill[i]; count > close_up.limit)
      over += fmt::format("M{:.1f} {:.1f}V{:.1f}H{:.1f}V{:.1f}z", scale.x(start_of(close_up, i)),
                          scale.y(close_up.limit), scale.y(count),
                          scale.x(start_of(close_up, i + 1)), scale.y(close_up.limit));
  return over.empty() ? "" : fmt::format("<path class=\"o\" d=\"{}\"/>\n", over);
}

std::string edges(const RunPicture& picture, const SvgScale& scale) {
  const CloseUp& close_up = *picture.close_up;
  const std::int64_t window_us = picture.edge_window_us;
  if (window_us <= 0 || !picture.edge_phase_us) return {};
  if ((scale.before_us + scale.after_us) / window_us > 20) return {};
  std::string text;
  const std::int64_t from_us = close_up.window_from_us - scale.before_us;
  std::int64_t edge_us = from_us - (from_us - *picture.edge_phase_us) % window_us + window_us;
  for (; edge_us <= close_up.window_from_us + scale.after_us; edge_us += window_us)
    text += fmt::format("<path class=\"e\" d=\"M{0:.1f} {1}V{2}\"/>\n",
                        scale.x(edge_us - close_up.window_from_us), kTop, kTop + kPlotHeight);
  return text;
}

std::string faults(const RunPicture& picture, const SvgScale& scale) {
  std::string text;
  for (const SeenFault& fault : picture.faults) {
    const std::int64_t at_us = fault.at_us - picture.close_up->window_from_us;
    if (at_us < -scale.before_us || at_us > scale.after_us) continue;
    text += fmt::format(
        "<path class=\"f\" d=\"M{0:.1f} {1}V{2}\"/>\n"
        "<text class=\"k\" x=\"{3:.1f}\" y=\"{4}\">{5}</text>\n",
        scale.x(at_us), kTop, kTop + kPlotHeight, scale.x(at_us) + 5, kTop + 12,
        html_text(escape_for_terminal(fault.kind)));
  }
  return text;
}

std::string frame(const CloseUp& close_up, const SvgScale& scale) {
  const double left = scale.x(0);
  const double right = std::max(scale.x(close_up.window_to_us - close_up.window_from_us), left + 2);
  std::string text = fmt::format(
      "<path class=\"{}\" d=\"M{:.1f} {}H{:.1f}V{}H{:.1f}z\"/>\n<path class=\"x\" d=\"M{} "
      "{}h{}\"/>\n",
      close_up.over == OverAdmission::certain ? "w" : "n", left, kTop, right, kTop + kPlotHeight,
      left, kLeft, kTop + kPlotHeight, kPlotWidth);
  for (const std::int64_t count : {std::int64_t{0}, close_up.limit})
    text += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 6,
                        scale.y(count) + 4, format_count(count));
  return text;
}

// "6"; "1, possibly 6".
std::string most_in_words(const CloseUp& close_up) {
  const std::string certain = format_count(std::ranges::max(close_up.fill));
  if (close_up.possible.empty()) return certain;
  return certain + ", possibly " + format_count(std::ranges::max(close_up.possible));
}

std::string words(const ReportRun& run, const SvgScale& scale) {
  const CloseUp& close_up = *run.picture->close_up;
  std::string text = fmt::format(
      "<text class=\"t\" x=\"{0}\" y=\"20\">{1}: <tspan class=\"{2}\">{3}</tspan></text>\n"
      "<text x=\"{0}\" y=\"38\">most in the last {4}: {5}; limit {6}</text>\n",
      kLeft, html_text(run.name), html_class(run.mood), html_text(run.verdict),
      format_duration(close_up.window_us), most_in_words(close_up), format_count(close_up.limit));
  text += fmt::format(
      "<path class=\"l\" d=\"M{} {:.1f}h{}\"/>\n"
      "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">0</text>\n"
      "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
      kLeft, scale.y(close_up.limit), kPlotWidth, scale.x(0), kTop + kPlotHeight + 17,
      kLeft + kPlotWidth, kTop + kPlotHeight + 17, format_duration_for_people(scale.after_us));
  return text;
}

std::string panel(const ReportRun& run, const SvgScale& scale, double x, double y) {
  const CloseUp& close_up = *run.picture->close_up;
  return fmt::format("<g transform=\"translate({} {})\">\n", x, y) + frame(close_up, scale) +
         edges(*run.picture, scale) + bars(close_up, scale, &TimelineSlice::denied, "d") +
         bars(close_up, scale, &TimelineSlice::allowed, "a") + excess(close_up, scale) +
         curve(close_up, scale, close_up.fill, "c") +
         curve(close_up, scale, close_up.possible, "q") + faults(*run.picture, scale) +
         words(run, scale) + "</g>\n";
}

std::string legend(const std::vector<const ReportRun*>& runs, double y) {
  const bool is_possible = std::ranges::any_of(
      runs, [](const ReportRun* run) { return !run->picture->close_up->possible.empty(); });
  return fmt::format(
      "<g transform=\"translate({} {})\"><path class=\"a\" d=\"M0 0h12v12H0z\"/>"
      "<text x=\"18\" y=\"11\">allowed</text><path class=\"d\" d=\"M80 0h12v12H80z\"/>"
      "<text x=\"98\" y=\"11\">denied</text><path class=\"c\" d=\"M160 6h14\"/>"
      "<text x=\"180\" y=\"11\">admitted in the last window</text>{}</g>\n",
      kLeft, y,
      is_possible ? "<path class=\"q\" d=\"M346 6h14\"/><text x=\"366\" y=\"11\">possible</text>"
                  : "");
}

[[noreturn]] void refuse_without_window(const Report& report) {
  const bool has_log = std::ranges::any_of(
      report.runs, [](const ReportRun& run) { return run.picture.has_value(); });
  if (!has_log)
    throw Error(Exit::usage, "--svg: a result has no records, from which the picture is drawn",
                "give the log that --log of the same run wrote");
  throw Error(Exit::usage, "--svg: there is no worst window to draw",
              "use a log that contains at least one admission");
}

}  // namespace

std::string svg_picture(const Report& report) {
  std::vector<const ReportRun*> runs;
  for (const ReportRun& run : report.runs)
    if (run.picture && run.picture->close_up && runs.size() < kMostPanels) runs.push_back(&run);
  if (runs.empty()) refuse_without_window(report);
  const std::size_t columns = std::min<std::size_t>(runs.size(), 2);
  const std::size_t lines = (runs.size() + columns - 1) / columns;
  const double width = kPanelWidth * static_cast<double>(columns);
  const double height = kPanelHeight * static_cast<double>(lines) + 16;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" aria-label=\"{2}: {3}\">\n<style>{4}</style>\n"
      "<path class=\"p\" d=\"M0 0h{0}v{1}H0z\"/>\n",
      width, height, html_text(report.verdict), html_text(report.sentence), kStyle);
  for (std::size_t i = 0; i < runs.size(); ++i)
    text +=
        panel(*runs[i], scale_of(runs, *runs[i]), kPanelWidth * static_cast<double>(i % columns),
              kPanelHeight * static_cast<double>(i / columns) + 4);
  return text + legend(runs, height - 26) + "</svg>\n";
}

}  // namespace rlctl
