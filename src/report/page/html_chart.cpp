#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "report/page/html_parts.h"

namespace rlctl {
namespace {

struct Panel {
  const char* chart;  // name of the builder in report.js
  std::size_t index;
  std::string title;
  Mood mood = Mood::neutral;
  std::string word;  // shown next to the title
  std::string alternative;
  std::string note;
  bool tall = false;
};

std::string panel_html(const Panel& panel) {
  std::string pill;
  if (!panel.word.empty())
    pill = fmt::format("<span class=\"pill {}\">{}</span>", html_class(panel.mood),
                       html_text(panel.word));
  std::string html = fmt::format(
      "<figure data-chart=\"{}\" data-index=\"{}\">\n<figcaption>{}{}</figcaption>\n"
      "<div class=\"plot{}\"><canvas role=\"img\" aria-label=\"{}\"></canvas></div>\n",
      panel.chart, panel.index, pill, html_text(panel.title), panel.tall ? " tall" : "",
      html_text(panel.alternative));
  if (!panel.note.empty()) html += "<p class=\"thin\">" + html_text(panel.note) + "</p>\n";
  return html + "<details><summary>Figures of this chart</summary></details>\n</figure>\n";
}

std::string section(const std::string& title, const std::string& lead,
                    const std::vector<Panel>& panels) {
  if (panels.empty()) return {};
  std::string html =
      fmt::format("<section>\n<h2>{}</h2>\n<p class=\"lead\">{}</p>\n<div class=\"panels{}\">\n",
                  html_text(title), html_text(lead), panels.size() == 1 ? " alone" : "");
  for (const Panel& panel : panels) html += panel_html(panel);
  return html + "</div>\n</section>\n";
}

// One panel for each run for which `make` returns true.
template <typename Make>
std::vector<Panel> panels_of(const Report& report, const char* chart, Make make) {
  std::vector<Panel> panels;
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const ReportRun& run = report.runs[i];
    if (!run.picture) continue;
    Panel panel;
    panel.chart = chart;
    panel.index = i;
    panel.title = run.name;
    panel.mood = run.mood;
    panel.word = run.verdict;
    if (make(run, *run.picture, panel)) panels.push_back(std::move(panel));
  }
  return panels;
}

std::string slices_note(const Timeline& timeline, const char* what) {
  return fmt::format("{} of {}; each record is counted once", what,
                     format_duration(timeline.slice_us));
}

bool fill_close_up(const ReportRun& run, const RunPicture& picture, Panel& panel) {
  if (!picture.close_up) return false;
  const CloseUp& close_up = *picture.close_up;
  const std::int64_t most =
      close_up.fill.empty() ? 0 : *std::max_element(close_up.fill.begin(), close_up.fill.end());
  panel.title += run.key.empty() ? "" : ": " + run.key;
  panel.alternative = fmt::format(
      "Requests of one key around its worst window. The line, the admissions in the last {}, "
      "rises to {}; the limit is {}.",
      format_duration(close_up.window_us), format_count(most), format_count(close_up.limit));
  if (!close_up.possible.empty())
    panel.alternative += fmt::format(
        " What is only possible, a dashed line, rises to {}.",
        format_count(*std::max_element(close_up.possible.begin(), close_up.possible.end())));
  panel.note = fmt::format("slices of {}; the line shows the maximum of each slice",
                           format_duration(close_up.timeline.slice_us));
  return true;
}

std::string close_ups(const Report& report) {
  return section(
      "The worst window, close up",
      "The requests of one key. The line shows the admissions that certainly are in the last "
      "window "
      "at each moment; red above the limit is over-admission. Hatched: it is possible, but not "
      "proven. Shaded: the records that prove it, or the fullest window. Dotted lines: the edges "
      "of "
      "clock-aligned windows.",
      panels_of(report, "closeUp", fill_close_up));
}

std::string timelines(const Report& report) {
  return section(
      "The run", "Decisions over time, in slices. The worst window is shaded.",
      panels_of(report, "timeline", [](const ReportRun&, const RunPicture& picture, Panel& panel) {
        if (picture.timeline.slices.empty()) return false;
        TimelineSlice sum;
        for (const TimelineSlice& slice : picture.timeline.slices) {
          sum.allowed += slice.allowed;
          sum.denied += slice.denied;
          sum.other += slice.other;
        }
        panel.alternative = fmt::format(
            "Decisions over time: {} allowed, {} denied, {} without an answer.",
            format_count(sum.allowed), format_count(sum.denied), format_count(sum.other));
        panel.note = slices_note(picture.timeline, "slices");
        return true;
      }));
}

std::string envelopes(const Report& report) {
  return section(
      "The envelope",
      "The highest number of admissions of one key in any time span of a given length, compared "
      "with the policy. Red above the policy: the limiter admits more than the policy allows. "
      "Hatched: that is possible, but not proven.",
      panels_of(report, "envelope", [](const ReportRun&, const RunPicture& picture, Panel& panel) {
        if (picture.envelope.size() < 2) return false;
        const PromisedPoint& last = picture.envelope.back();
        panel.alternative =
            fmt::format("Most admissions by length of the time span, up to {} in {}.",
                        format_count(last.admissions), format_duration_for_people(last.span_us));
        return true;
      }));
}

std::string latencies(const Report& report) {
  return section(
      "Latency",
      "Response times by percentile. Times from the intended start include the time that a "
      "request waited because earlier requests were slow.",
      panels_of(report, "latency",
                [](const ReportRun& run, const RunPicture& picture, Panel& panel) {
                  const LatencyCurve& curve =
                      picture.from_intended.samples > 0 ? picture.from_intended : picture.from_sent;
                  if (run.on_virtual_time || curve.samples == 0) return false;
                  panel.alternative = fmt::format(
                      "Latency by percentile: half of the answers within {}, "
                      "the slowest took {}.",
                      format_duration_for_people(
                          curve.points[std::min<std::size_t>(2, curve.points.size() - 1)].us),
                      format_duration_for_people(curve.points.back().us));
                  panel.note = fmt::format("{} answers", format_count(curve.samples));
                  if (curve.samples < 10'000) panel.note += "; too few to show 99.99 %";
                  return true;
                }));
}

std::string rates(const Report& report) {
  return section(
      "Throughput", "Answers per second over the run.",
      panels_of(report, "rate", [](const ReportRun& run, const RunPicture& picture, Panel& panel) {
        if (run.on_virtual_time || picture.timeline.slices.size() < 2) return false;
        panel.alternative =
            fmt::format("Answers per second over time, at most {}.",
                        format_count(static_cast<std::int64_t>(*std::max_element(
                            picture.per_second.begin(), picture.per_second.end()))));
        panel.note = slices_note(picture.timeline, "means over slices");
        return true;
      }));
}

std::string evidence(const Report& report) {
  return section(
      "The evidence",
      "Each bar is one admission of the worst window, from sending to answer; it was decided in "
      "this interval. A dark mark is the time that the limiter itself reported. Red bars are above "
      "the limit. If nothing is proven, the bars are the admissions that one window possibly "
      "holds; "
      "hatched are those above the limit.",
      panels_of(report, "evidence", [](const ReportRun& run, const RunPicture&, Panel& panel) {
        if (!run.evidence) return false;
        const Evidence& shown = *run.evidence;
        panel.title = run.name + ": " + shown.title;
        panel.alternative = "Intervals of the admissions of the worst window, one below the other.";
        panel.tall = shown.rows.size() > 40;
        const auto rows = static_cast<std::int64_t>(shown.rows.size());
        panel.note = rows == shown.records
                         ? fmt::format("all {} records", format_count(rows))
                         : fmt::format(
                               "{} of {} records: the first, the last, and those around "
                               "the limit",
                               format_count(rows), format_count(shown.records));
        return true;
      }));
}

}  // namespace

std::string html_charts(const Report& report) {
  return close_ups(report) + envelopes(report) + timelines(report) + latencies(report) +
         rates(report) + evidence(report);
}

std::string html_bars(const Report& report) {
  std::vector<Panel> panels;
  for (std::size_t i = 0; i < report.bars.size(); ++i) {
    const BarChart& chart = report.bars[i];
    Panel panel;
    panel.chart = "bars";
    panel.index = i;
    panel.title = chart.title;
    panel.alternative = chart.title + ": one group of bars for each of " +
                        fmt::format("{}", fmt::join(chart.groups, ", ")) + ".";
    panels.push_back(std::move(panel));
  }
  return section("Measured", report.bars_note, panels);
}

}  // namespace rlctl
