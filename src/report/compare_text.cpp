#include "report/compare_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/escape.h"
#include "base/table.h"
#include "base/units.h"

namespace rlctl {
namespace {

// A p-value below this is called certain.
constexpr double kCertain = 0.001;

std::string show_p(double p) { return p < 0.0001 ? "<0.0001" : fmt::format("{:.2g}", p); }

// The ratio of a few rounds is no estimate: it may contradict the medians beside it.
bool is_tested(const ComparedFigure& figure) {
  return figure.ratio && figure.finding != Finding::too_few_rounds;
}

// The count is zero in both runs: it gets no line, and hidden() says so.
bool is_silent(const ComparedFigure& figure) {
  return !figure.ratio && figure.base == 0 && figure.fresh == 0;
}

std::string value_cell(const MetricRow& metric, double low, double high) {
  const std::string most = format_figure(metric, high);
  return low == high ? most : format_figure(metric, low) + " to " + most;
}

void add_row(Table& table, const ComparedFigure& figure, const std::string& traffic) {
  std::string ratio;
  std::string interval;
  if (is_tested(figure)) {
    ratio = fmt::format("{:.2f}", figure.ratio->ratio);
    interval = fmt::format("{:.2f} to {:.2f}", figure.ratio->low, figure.ratio->high);
  }
  table.add_row({traffic, figure.metric->label,
                 value_cell(*figure.metric, figure.base_low, figure.base),
                 value_cell(*figure.metric, figure.fresh_low, figure.fresh), ratio, interval,
                 ratio.empty() ? "" : show_p(figure.p), finding_in_words(figure)});
}

std::string compare_table(const RunComparison& comparison, const std::string& subject,
                          std::size_t columns) {
  Table table({{subject, Align::left},
               {"", Align::left},
               {"base", Align::right},
               {"new", Align::right},
               {"ratio", Align::right},
               {"95 % interval", Align::right},
               {"p", Align::right},
               {"", Align::left}});
  std::string last;
  for (const ComparedFigure& figure : comparison.figures) {
    if (figure.subject != subject || is_silent(figure)) continue;
    // Figures that were not measured by round are separated from those of either kind of traffic.
    if (figure.traffic.empty() && !last.empty()) table.add_rule();
    add_row(table, figure, figure.traffic == last ? "" : figure.traffic);
    last = figure.traffic;
  }
  return table.empty() ? std::string() : table.text(columns) + "\n";
}

// One table per subject: with long names a common table would be too wide.
std::string figures_tables(const RunComparison& comparison, std::size_t columns) {
  std::string text;
  std::set<std::string> done;
  for (const ComparedFigure& figure : comparison.figures)
    if (done.insert(figure.subject).second)
      text += compare_table(comparison, figure.subject, columns);
  return text;
}

std::string different(const RunComparison& comparison) {
  std::string text;
  for (const DifferentCircumstance& one : comparison.different)
    text += fmt::format("DIFFERENT {}: {} in the base, {} in the new run\n", one.name, one.base,
                        one.fresh);
  for (const DifferentCircumstance& one : comparison.verdicts)
    text += fmt::format("VERDICT of {}: {} in the base, {} in the new run\n", one.name, one.base,
                        one.fresh);
  return text.empty() ? text : text + "\n";
}

bool differs(const ComparedFigure& figure) { return figure.finding == Finding::differs; }

// The yardstick is the same script on the same server: if it changed, the limiter is not the cause.
std::string machine(const RunComparison& comparison) {
  std::string moved;
  for (const ComparedFigure& figure : comparison.machine)
    if (differs(figure))
      moved += fmt::format("{}{} {}", moved.empty() ? "" : ", ", figure.metric->label,
                           finding_in_words(figure));
  if (moved.empty()) return {};
  return "the machine or the server changed, as the yardstick shows: " + moved + ".\n";
}

bool is_undecided(const ComparedFigure& figure) {
  return figure.finding == Finding::too_few_rounds;
}

// Counts the lines of the tables: a figure about which nothing can be told is not one without a
// difference.
std::string findings(const std::vector<ComparedFigure>& figures) {
  const auto changed = std::ranges::count_if(figures, differs);
  const auto undecided = std::ranges::count_if(figures, is_undecided);
  const auto told =
      std::ranges::ssize(figures) - std::ranges::count_if(figures, is_silent) - undecided;
  if (undecided == 0 || told > 0) {
    const std::string all = counted(told, "figure");
    const std::string text = changed == 0 ? "no difference shown in " + all
                                          : fmt::format("{} of {} {}", format_count(changed), all,
                                                        changed == 1 ? "differs" : "differ");
    return undecided == 0
               ? text
               : text + fmt::format("; too few measurements of {} more", format_count(undecided));
  }
  return "too few measurements to compare " + counted(undecided, "figure");
}

// The figures that have no line.
std::string hidden(const RunComparison& comparison) {
  std::string text;
  if (const auto silent = std::ranges::count_if(comparison.figures, is_silent); silent > 0)
    text += fmt::format("not listed: {} that {} 0 in both runs", counted(silent, "figure"),
                        silent == 1 ? "is" : "are");
  if (comparison.left_out > 0)
    text += fmt::format("{}{} compared only with --all", text.empty() ? "not listed: " : ", and ",
                        counted(comparison.left_out, "figure"));
  return text.empty() ? text : text + ".\n";
}

std::string summary(const RunComparison& comparison) {
  const bool measured = std::ranges::any_of(comparison.figures, &ComparedFigure::in_yardsticks);
  std::string text = findings(comparison.figures);
  if (measured) text += "; each round was divided by its yardstick before the comparison";
  text += ".\n" + hidden(comparison);
  if (std::ranges::any_of(comparison.figures, is_tested))
    text +=
        "ratio: the median of the ratios of all pairs of a round of the base and one of the new "
        "run; it is not the ratio of the two medians beside it.\n";
  return text + machine(comparison);
}

const char* word_of(ConditionHeld held) {
  switch (held) {
    case ConditionHeld::fails:
      return "FAILS";
    case ConditionHeld::passes:
      return "OK";
    case ConditionHeld::undecided:
      break;
  }
  return "can't tell";
}

std::string judged(const JudgedCondition& judged, std::span<const FailCondition> conditions) {
  std::string where = judged.subject;
  if (!judged.traffic.empty()) where += (where.empty() ? "" : ", ") + judged.traffic;
  if (!where.empty()) where += ": ";
  const std::string p =
      judged.p ? "; p " + std::string(*judged.p < 0.0001 ? "" : "= ") + show_p(*judged.p)
               : std::string();
  return fmt::format("{:<10}  {}: {}{}{}\n", word_of(judged.held),
                     conditions[judged.condition].text, where, judged.because, p);
}

// Of ranges: what is certain of them.
std::string fact_in_words(const ComparedFigure& figure) {
  const MetricRow& metric = *figure.metric;
  const bool rises = figure.fresh_low > figure.base;
  const double wider = (figure.fresh - figure.fresh_low) - (figure.base - figure.base_low);
  if (!rises && figure.fresh >= figure.base_low)
    return wider > 0 ? "less certain" : wider < 0 ? "more certain" : "can't tell";
  const bool better = rises == (metric.better == Better::higher);
  const char* word = better ? metric.words.better : metric.words.worse;
  const double from = rises ? figure.base : figure.base_low;
  const double to = rises ? figure.fresh_low : figure.fresh;
  if (from <= 0) return word;
  return fmt::format("{}{:.3g} % {}", is_exact(figure) ? "" : "at least ",
                     100 * std::abs(to / from - 1), word);
}

}  // namespace

std::string finding_in_words(const ComparedFigure& figure) {
  const MetricRow& metric = *figure.metric;
  const bool higher_is_better = metric.better == Better::higher;
  if (figure.finding == Finding::too_few_rounds)
    return "can't tell: " +
           (metric.is(kByRound)
                ? counted(std::min(figure.base_rounds, figure.fresh_rounds), "round")
                : std::string("measured once"));
  if (figure.finding == Finding::alike) return figure.ratio ? "no difference" : "the same";
  if (!figure.ratio) return fact_in_words(figure);
  const double ratio = figure.ratio->ratio;
  const char* word = (ratio > 1) == higher_is_better ? metric.words.better : metric.words.worse;
  return fmt::format("{:.0f} % {}, {}", 100 * std::abs(ratio - 1), word,
                     figure.p < kCertain ? "certain" : "very likely");
}

std::string compare_text(const RunComparison& comparison, std::span<const FailCondition> conditions,
                         std::size_t columns) {
  std::string text = fmt::format("base {}\nnew  {}\n\n", escape_for_terminal(comparison.base_path),
                                 escape_for_terminal(comparison.fresh_path));
  text += different(comparison) + figures_tables(comparison, columns) + summary(comparison);
  for (const std::string& note : comparison.notes) text += "note: " + note + ".\n";
  if (!comparison.conditions.empty()) text += "\n";
  for (const JudgedCondition& one : comparison.conditions) text += judged(one, conditions);
  return text;
}

}  // namespace rlctl
