#include "report/page/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace rlctl {
namespace {

const ReportRun& worst_run(const Report& report) {
  return *std::ranges::max_element(report.runs, {}, &ReportRun::mood);
}

constexpr std::size_t kMostNamed = 4;

// "sliding holds, gcra holds"; for many runs "4 of 6 violated".
std::string others_in_words(const Report& report, const ReportRun& worst) {
  std::string named;
  std::size_t same = 0;
  for (const ReportRun& run : report.runs) {
    if (&run == &worst) continue;
    named += fmt::format("{}{} {}", named.empty() ? "" : ", ", run.name, run.verdict);
    same += run.verdict == worst.verdict;
  }
  if (report.runs.size() <= kMostNamed) return named;
  return fmt::format("{} of {} {}", same + 1, report.runs.size(), worst.verdict);
}

template <typename Value>
void move_behind(std::vector<Value>& from, std::vector<Value>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

template <typename Value, typename Same>
void move_new(std::vector<Value>& from, std::vector<Value>& to, Same same) {
  for (Value& value : from)
    if (std::ranges::none_of(to, [&](const Value& known) { return same(known, value); }))
      to.push_back(std::move(value));
}

// Keeps the drawn run, which has the verdict, and adds the figures and notes of the other.
void merge(ReportRun drawn, ReportRun& run) {
  for (NamedFigure& figure : run.figures)
    if (std::ranges::find(drawn.figures, figure.name, &NamedFigure::name) == drawn.figures.end())
      drawn.figures.push_back(std::move(figure));
  move_new(run.notes, drawn.notes, std::equal_to<>());
  run = std::move(drawn);
}

// The result and the log of one bench describe the same algorithms: they become one run.
void add_run(ReportRun run, Report& report) {
  const auto known = std::ranges::find_if(report.runs, [&](const ReportRun& other) {
    return !run.run_id.empty() && other.run_id == run.run_id && other.name == run.name &&
           other.picture.has_value() != run.picture.has_value();
  });
  if (known == report.runs.end())
    report.runs.push_back(std::move(run));
  else if (run.picture)
    merge(std::move(run), *known);
  else
    merge(std::exchange(*known, std::move(run)), *known);
}

}  // namespace

Mood mood_of(VerdictKind verdict) {
  switch (verdict) {
    case VerdictKind::holds:
      return Mood::good;
    case VerdictKind::violated:
      return Mood::bad;
    case VerdictKind::inconclusive:
      break;
  }
  return Mood::doubtful;
}

Mood mood_of_word(const std::string& verdict) {
  if (verdict == "holds" || verdict == "passed" || verdict == "held") return Mood::good;
  if (verdict == "violated" || verdict == "failed" || verdict == "broken") return Mood::bad;
  return verdict.empty() ? Mood::neutral : Mood::doubtful;
}

void add_headline(Report& report) {
  if (report.runs.empty()) return;
  const ReportRun& worst = worst_run(report);
  report.mood = worst.mood;
  report.verdict = worst.verdict;
  if (report.runs.size() == 1) {
    report.sentence = worst.sentence;
    return;
  }
  const std::size_t runs = report.runs.size();
  if (worst.mood == Mood::good && runs > kMostNamed) {
    report.sentence = fmt::format("all {} {}", runs, worst.verdict);
    return;
  }
  report.sentence =
      fmt::format("{}: {}; {}", worst.name, worst.sentence, others_in_words(report, worst));
}

void append_report(Report other, Report& report) {
  move_new(other.facts, report.facts, [](const ReportFact& a, const ReportFact& b) {
    return a.name == b.name && a.value == b.value;
  });
  move_new(other.commands, report.commands, std::equal_to<>());
  move_new(other.notes, report.notes, std::equal_to<>());
  move_behind(other.tables, report.tables);
  move_behind(other.bars, report.bars);
  if (report.bars_note.empty()) report.bars_note = std::move(other.bars_note);
  for (ReportRun& run : other.runs) add_run(std::move(run), report);
  add_headline(report);
}

}  // namespace rlctl
