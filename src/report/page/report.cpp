#include "report/page/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "base/units.h"

namespace rlctl {
namespace {

const ReportRun& worst_run(const Report& report) {
  return *std::ranges::max_element(report.runs, {}, &ReportRun::mood);
}

constexpr std::size_t kMostNamed = 4;

const char* noun_of(RunKind kind) {
  switch (kind) {
    case RunKind::log:
      return "log";
    case RunKind::simulation:
      return "simulation";
    case RunKind::algorithm:
      return "algorithm";
    case RunKind::scenario:
      break;
  }
  return "scenario";
}

// A scenario may have a log of its own for each policy. It was played once.
bool is_log_of_scenario(const Report& report, const ReportRun& run) {
  return run.kind == RunKind::log && !run.run_id.empty() &&
         std::ranges::any_of(report.runs, [&](const ReportRun& other) {
           return other.kind == RunKind::scenario && other.run_id == run.run_id;
         });
}

std::vector<const ReportRun*> counted_runs(const Report& report) {
  std::vector<const ReportRun*> runs;
  for (const ReportRun& run : report.runs)
    if (!is_log_of_scenario(report, run)) runs.push_back(&run);
  return runs;
}

// "sliding holds, gcra holds".
std::string others_in_words(const std::vector<const ReportRun*>& runs, const ReportRun& worst) {
  std::string named;
  for (const ReportRun* run : runs)
    if (run != &worst)
      named += fmt::format("{}{} {}", named.empty() ? "" : ", ", run->name, run->verdict);
  return named;
}

// "all 6 scenarios passed", "4 of 6 algorithms violated".
std::string share_in_words(const std::vector<const ReportRun*>& runs, const ReportRun& one) {
  const auto of_kind = std::ranges::count(runs, one.kind, &ReportRun::kind);
  const auto same = std::ranges::count_if(runs, [&](const ReportRun* run) {
    return run->kind == one.kind && run->verdict == one.verdict;
  });
  const std::string share = same < of_kind ? fmt::format("{} of ", same) : same > 1 ? "all " : "";
  const bool several = same > 1 && one.verdict == "holds";
  return share + counted(of_kind, noun_of(one.kind)) + " " + (several ? "hold" : one.verdict);
}

// Of each kind of run, and each verdict for which `tells` returns true, how many there are.
template <typename Tells>
std::string counts_in_words(const std::vector<const ReportRun*>& runs, Tells tells) {
  std::vector<std::string> told;
  for (const ReportRun* run : runs) {
    if (!tells(*run)) continue;
    const std::string count = share_in_words(runs, *run);
    if (std::ranges::find(told, count) == told.end()) told.push_back(count);
  }
  return fmt::format("{}", fmt::join(told, ", "));
}

std::string sentence_of(const Report& report, const ReportRun& worst) {
  const std::vector<const ReportRun*> runs = counted_runs(report);
  const bool is_counted = std::ranges::find(runs, &worst) != runs.end();
  if (runs.size() == 1 && is_counted) return worst.sentence;
  if (worst.mood == Mood::good && runs.size() > kMostNamed)
    return counts_in_words(runs, [](const ReportRun&) { return true; });
  const std::string others = runs.size() <= kMostNamed
                                 ? others_in_words(runs, worst)
                                 : counts_in_words(runs, [&](const ReportRun& run) {
                                     return !is_counted || run.verdict == worst.verdict;
                                   });
  return fmt::format("{}: {}; {}", worst.name, worst.sentence, others);
}

// "3 passed, 1 failed": the same scenarios as in the headline.
void count_scenarios(Report& report) {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  for (const ReportRun& run : report.runs) {
    if (run.kind != RunKind::scenario) continue;
    const auto known =
        std::ranges::find(counts, run.verdict, [](const auto& one) { return one.first; });
    if (known == counts.end())
      counts.emplace_back(run.verdict, 1);
    else
      ++known->second;
  }
  std::erase_if(report.facts, [](const ReportFact& fact) { return fact.name == "Scenarios"; });
  std::string text;
  for (const auto& [verdict, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format_count(count), verdict);
  if (!text.empty()) report.facts.push_back({"Scenarios", text});
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
  if (drawn.outcome.empty()) drawn.outcome = run.outcome;
  drawn.kind = run.kind;
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

void add_fact(ReportFact fact, std::vector<ReportFact>& facts) {
  if (fact.value.empty()) return;
  const auto known = std::ranges::find(facts, fact.name, &ReportFact::name);
  if (known == facts.end()) return facts.push_back(std::move(fact));
  const bool told = ("; " + known->value + "; ").find("; " + fact.value + "; ") != fact.value.npos;
  if (!told) known->value += "; " + fact.value;
}

void add_headline(Report& report) {
  if (report.runs.empty()) return;
  const ReportRun& worst = worst_run(report);
  report.mood = worst.mood;
  report.verdict = worst.verdict;
  report.sentence = sentence_of(report, worst);
  count_scenarios(report);
}

void append_report(Report other, Report& report) {
  for (ReportFact& fact : other.facts) add_fact(std::move(fact), report.facts);
  move_new(other.commands, report.commands, std::equal_to<>());
  move_new(other.notes, report.notes, std::equal_to<>());
  move_behind(other.tables, report.tables);
  move_behind(other.bars, report.bars);
  if (report.bars_note.empty()) report.bars_note = std::move(other.bars_note);
  for (ReportRun& run : other.runs) add_run(std::move(run), report);
  add_headline(report);
}

}  // namespace rlctl
