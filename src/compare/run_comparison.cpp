#include "compare/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/stats.h"
#include "base/suggest.h"
#include "base/text.h"
#include "compare/measured_log.h"

namespace rlctl {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kBusyPercent = 10;

struct FigurePair {
  const MeasuredFigure* base = nullptr;
  const MeasuredFigure* fresh = nullptr;
};

std::vector<std::string> subjects_of(const MeasuredRun& run) {
  std::vector<std::string> names;
  for (const MeasuredFigure& figure : run.figures)
    if (std::find(names.begin(), names.end(), figure.subject) == names.end())
      names.push_back(figure.subject);
  return names;
}

std::vector<std::string> traffics_of(const MeasuredRun& run) {
  std::vector<std::string> names;
  for (const MeasuredFigure& figure : run.figures)
    if (!figure.traffic.empty() &&
        std::find(names.begin(), names.end(), figure.traffic) == names.end())
      names.push_back(figure.traffic);
  return names;
}

void require_name(const std::string& name, const std::vector<std::string>& names) {
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string hint = did_you_mean(name, names);
  throw Error(Exit::usage, fmt::format("--fail-if: {} is not in the new run", name),
              !hint.empty()   ? hint
              : names.empty() ? "the new run has none"
                              : "the new run has " + joined(names));
}

const MeasuredFigure* find_figure(const MeasuredRun& run, const std::string& subject,
                                  const std::string& traffic, const MetricRow* metric) {
  for (const MeasuredFigure& figure : run.figures)
    if (figure.subject == subject && figure.traffic == traffic && figure.metric == metric)
      return &figure;
  return nullptr;
}

std::vector<double> in_yardsticks(const MeasuredFigure& figure) {
  std::vector<double> values;
  for (std::size_t i = 0; i < figure.rounds.size(); ++i)
    values.push_back(figure.rounds[i] / figure.yardstick[i]);
  return values;
}

bool is_same(const FigurePair& pair) {
  return pair.base->low == pair.fresh->low && pair.base->high == pair.fresh->high;
}

// Whether the difference of a figure that has no rounds can be chance.
bool may_be_chance(const FigurePair& pair) {
  return !is_same(pair) && (pair.fresh->seed.empty() || pair.base->seed != pair.fresh->seed);
}

Finding finding_without_rounds(const FigurePair& pair) {
  if (is_same(pair)) return Finding::alike;
  return may_be_chance(pair) ? Finding::too_few_rounds : Finding::differs;
}

class Comparing {
 public:
  Comparing(const MeasuredRun& base, const MeasuredRun& fresh, const CompareOptions& options)
      : base_(base), fresh_(fresh), options_(options) {
    result_.base_path = base.path;
    result_.fresh_path = fresh.path;
  }

  RunComparison run() {
    require_same_traffic(base_.kind, fresh_.kind);
    pair_subjects();
    compare_circumstances();
    compare_verdicts();
    compare_machine();
    for (const MeasuredFigure& figure : fresh_.figures) compare(figure);
    adjust(result_.figures);
    judge_conditions();
    note_what_weakens();
    return std::move(result_);
  }

 private:
  void compare_circumstances();
  std::string name_in_fresh(const std::string& name) const;
  void pair_subjects();
  void compare_verdicts();
  void compare_machine();
  void compare(const MeasuredFigure& fresh);
  void compare_rounds(const FigurePair& pair, ComparedFigure& shown) const;
  static void adjust(std::vector<ComparedFigure>& figures);
  void judge_conditions();
  void judge_condition(std::size_t index);
  void judge_value(const FailCondition& condition, const FigurePair& pair,
                   JudgedCondition& judged) const;
  void judge_change(const FailCondition& condition, const FigurePair& pair,
                    JudgedCondition& judged) const;
  void judge_change_of_rounds(const FailCondition& condition, const FigurePair& pair,
                              JudgedCondition& judged) const;
  void adjust_conditions();
  void note_what_weakens();
  void note_what_the_yardstick_hides();
  void note_what_was_measured_too_seldom();
  bool by_yardstick(const FigurePair& pair) const {
    return !options_.raw && base_.yardstick == fresh_.yardstick && !pair.base->yardstick.empty() &&
           !pair.fresh->yardstick.empty();
  }
  FigurePair pair_of(const MeasuredFigure& fresh) const;
  bool is_missing(const MeasuredFigure& base) const;
  std::string why_not_measured(const MetricRow& metric) const;
  std::pair<std::vector<double>, std::vector<double>> samples(const FigurePair& pair) const;

  const MeasuredRun& base_;
  const MeasuredRun& fresh_;
  const CompareOptions& options_;
  std::vector<std::pair<std::string, std::string>> subjects_;  // base's and fresh's
  RunComparison result_;
};

void Comparing::compare_circumstances() {
  if (base_.kind != fresh_.kind)
    result_.different.push_back({"kind of result", base_.kind, fresh_.kind});
  for (const auto& [before, after] : subjects_)
    if (before != after && before != base_.kind && after != fresh_.kind)  // a kind: it has no name
      result_.different.push_back({fresh_.kind == "run" ? "scenario" : "limiter", before, after});
  for (const auto& [name, value] : fresh_.circumstances)
    for (const auto& [other_name, other] : base_.circumstances)
      if (name == name_in_fresh(other_name) && value != other)
        result_.different.push_back({name, other, value});
}

// "policy of fixed" is "policy of sliding" in the new run, if that is compared with fixed.
std::string Comparing::name_in_fresh(const std::string& name) const {
  for (const auto& [before, after] : subjects_)
    if (before != after && name.ends_with(" of " + before))
      return name.substr(0, name.size() - before.size()) + after;
  return name;
}

// Pairs by name. If each run has one unpaired subject, these two are paired: mine.lua and
// mine-new.lua.
void Comparing::pair_subjects() {
  const auto before = subjects_of(base_);
  const auto after = subjects_of(fresh_);
  std::vector<std::string> only_after;
  std::vector<std::string> only_before;
  for (const std::string& name : after)
    if (std::find(before.begin(), before.end(), name) != before.end())
      subjects_.emplace_back(name, name);
    else
      only_after.push_back(name);
  for (const std::string& name : before)
    if (std::find(after.begin(), after.end(), name) == after.end()) only_before.push_back(name);
  if (only_before.size() == 1 && only_after.size() == 1) {
    subjects_.emplace_back(only_before.front(), only_after.front());
    return;
  }
  if (subjects_.empty())
    throw Error(Exit::usage,
                fmt::format("nothing to compare: the base has {}, the new run has {}",
                            joined(before), joined(after)),
                "compare runs with the same names, or with one name each");
  for (const auto* names : {&only_before, &only_after})
    if (!names->empty())
      result_.notes.push_back(fmt::format(
          "only {} has {}", names == &only_before ? "the base" : "the new run", joined(*names)));
}

FigurePair Comparing::pair_of(const MeasuredFigure& fresh) const {
  for (const auto& [before, after] : subjects_)
    if (after == fresh.subject)
      return {find_figure(base_, before, fresh.traffic, fresh.metric), &fresh};
  return {nullptr, &fresh};
}

void Comparing::compare_verdicts() {
  for (const auto& [before, after] : subjects_)
    for (const auto& [name, verdict] : base_.verdicts)
      for (const auto& [fresh_name, fresh_verdict] : fresh_.verdicts)
        if (name == before && fresh_name == after && verdict != fresh_verdict)
          result_.verdicts.push_back({after, verdict, fresh_verdict});
}

std::pair<std::vector<double>, std::vector<double>> Comparing::samples(
    const FigurePair& pair) const {
  if (by_yardstick(pair)) return {in_yardsticks(*pair.base), in_yardsticks(*pair.fresh)};
  return {pair.base->rounds, pair.fresh->rounds};
}

void Comparing::compare_rounds(const FigurePair& pair, ComparedFigure& shown) const {
  const auto [before, after] = samples(pair);
  shown.base = shown.base_low = median(pair.base->rounds);
  shown.fresh = shown.fresh_low = median(pair.fresh->rounds);
  shown.base_rounds = before.size();
  shown.fresh_rounds = after.size();
  shown.in_yardsticks = by_yardstick(pair);
  shown.ratio = estimate_ratio(before, after, kConfidence);
  shown.p = mann_whitney(before, after).p_either;
  if (std::min(before.size(), after.size()) < kLeastRounds) shown.finding = Finding::too_few_rounds;
}

// Compares the yardsticks. The yardstick is always the same, so a difference comes from the
// machine. Each metric is reported once, for the first subject that has a yardstick.
void Comparing::compare_machine() {
  std::set<std::string> told;
  for (const MeasuredFigure& figure : fresh_.figures) {
    const FigurePair pair = pair_of(figure);
    const bool both = pair.base != nullptr && !pair.base->yardstick.empty() &&
                      !figure.yardstick.empty() && figure.metric->is(kShown);
    if (!both || !told.insert(figure.metric->field).second) continue;
    MeasuredFigure before = *pair.base;
    MeasuredFigure after = figure;
    before.rounds = std::exchange(before.yardstick, {});
    after.rounds = std::exchange(after.yardstick, {});
    ComparedFigure shown;
    shown.subject = shown.base_subject = "yardstick";
    shown.metric = figure.metric;
    compare_rounds({&before, &after}, shown);
    result_.machine.push_back(std::move(shown));
  }
  adjust(result_.machine);
}

void Comparing::compare(const MeasuredFigure& fresh) {
  const FigurePair pair = pair_of(fresh);
  if (pair.base == nullptr) return;
  if (!options_.all && !fresh.metric->is(kShown)) return void(++result_.left_out);
  ComparedFigure shown;
  shown.subject = fresh.subject;
  shown.base_subject = pair.base->subject;
  shown.traffic = fresh.traffic;
  shown.metric = fresh.metric;
  if (fresh.metric->is(kByRound)) {
    compare_rounds(pair, shown);
  } else {
    shown.base = pair.base->high;
    shown.fresh = fresh.high;
    shown.base_low = pair.base->low;
    shown.fresh_low = fresh.low;
    shown.finding = finding_without_rounds(pair);
  }
  result_.figures.push_back(std::move(shown));
}

// Holm's procedure over all figures with enough rounds.
void Comparing::adjust(std::vector<ComparedFigure>& figures) {
  std::vector<double> p;
  std::vector<ComparedFigure*> tested;
  for (ComparedFigure& figure : figures)
    if (figure.metric->is(kByRound) && figure.finding != Finding::too_few_rounds) {
      tested.push_back(&figure);
      p.push_back(figure.p);
    }
  const std::vector<double> adjusted = holm_adjusted(p);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->p = adjusted[i];
    if (adjusted[i] < kSignificance) tested[i]->finding = Finding::differs;
  }
}

ConditionHeld held_if(std::optional<bool> met) {
  if (!met) return ConditionHeld::undecided;
  return *met ? ConditionHeld::fails : ConditionHeld::passes;
}

std::string in_words(const MeasuredFigure& figure) {
  const std::string most = format_figure(*figure.metric, figure.high);
  if (figure.low == figure.high) return most;
  return fmt::format("between {} and {}", format_figure(*figure.metric, figure.low), most);
}

// A value of the new run needs no statistical test.
void Comparing::judge_value(const FailCondition& condition, const FigurePair& pair,
                            JudgedCondition& judged) const {
  const MeasuredFigure& figure = *pair.fresh;
  const MetricRow& metric = *condition.metric;
  const Between<double> wanted{condition.value, condition.value};
  if (metric.is(kByRound)) {
    const double measured = median(figure.rounds);
    judged.held = held_if(compares({measured, measured}, condition.comparison, wanted));
    judged.because = format_figure(metric, measured) + ", the median of the rounds";
    return;
  }
  judged.held = held_if(compares({figure.low, figure.high}, condition.comparison, wanted));
  judged.because = in_words(figure);
}

void Comparing::judge_change(const FailCondition& condition, const FigurePair& pair,
                             JudgedCondition& judged) const {
  const MetricRow& metric = *condition.metric;
  if (metric.is(kByRound)) return judge_change_of_rounds(condition, pair, judged);
  const MeasuredFigure& before = *pair.base;
  const MeasuredFigure& after = *pair.fresh;
  judged.because = fmt::format("{} after {}", in_words(after), in_words(before));
  if (may_be_chance(pair)) {
    judged.because +=
        ", each measured once: the change may be chance; ask for a value, without + or -";
    return;
  }
  judged.held =
      held_if(compares<double>({after.low, after.high}, condition.comparison,
                               {before.low * condition.value, before.high * condition.value}));
  // 0 after 0 is not a change, although 0 is at least 110 % of 0.
  const bool none = before.high == 0 && after.high == 0;
  if (none && !is_exact(condition.comparison)) judged.held = ConditionHeld::passes;
}

void Comparing::judge_change_of_rounds(const FailCondition& condition, const FigurePair& pair,
                                       JudgedCondition& judged) const {
  auto [before, after] = samples(pair);
  if (std::min(before.size(), after.size()) < kLeastRounds) {
    judged.because = fmt::format("not measured: {} rounds against {}; each run needs at least {}",
                                 after.size(), before.size(), kLeastRounds);
    return;
  }
  for (double& value : before) value *= condition.value;
  const RankTest test = mann_whitney(before, after);
  const bool upwards =
      condition.comparison == Comparison::more || condition.comparison == Comparison::at_least;
  judged.p = upwards ? test.p_greater : test.p_less;
  const RatioEstimate ratio = estimate_ratio(samples(pair).first, after, kConfidence);
  judged.because =
      fmt::format("{:+.1f} %, between {:+.1f} % and {:+.1f} %", 100 * (ratio.ratio - 1),
                  100 * (ratio.low - 1), 100 * (ratio.high - 1));
}

bool is_meant(const FailCondition& condition, const MeasuredFigure& figure) {
  return figure.metric == condition.metric &&
         (condition.subject.empty() || condition.subject == figure.subject) &&
         (condition.traffic.empty() || condition.traffic == figure.traffic);
}

// If the new run is complete, a subject that it does not have was not requested.
bool Comparing::is_missing(const MeasuredFigure& base) const {
  const auto known = [&](const MeasuredFigure& fresh) { return pair_of(fresh).base == &base; };
  if (std::ranges::any_of(fresh_.figures, known)) return false;
  const auto paired = [&](const auto& pair) { return pair.first == base.subject; };
  return !fresh_.complete || std::ranges::any_of(subjects_, paired);
}

std::string Comparing::why_not_measured(const MetricRow& metric) const {
  const bool benches = base_.kind == "bench" && fresh_.kind == "bench";
  if (!metric.is(kByRound) || benches) return fmt::format("{} is not in both runs", metric.field);
  if (metric.statistic == Statistic::none)
    return fmt::format("only bench measures {}: compare two results of bench", metric.field);
  return fmt::format(
      "only bench measures {}, or a log of {} requests or more in real time: compare two of these",
      metric.field, kLeastForLatencies);
}

void Comparing::judge_condition(std::size_t index) {
  const FailCondition& condition = options_.conditions[index];
  bool met_any = false;
  for (const MeasuredFigure& figure : fresh_.figures) {
    if (!is_meant(condition, figure)) continue;
    const FigurePair pair = pair_of(figure);
    if (condition.relative && pair.base == nullptr) continue;
    met_any = true;
    JudgedCondition judged;
    judged.condition = index;
    judged.subject = figure.subject;
    judged.traffic = figure.traffic;
    if (condition.relative)
      judge_change(condition, pair, judged);
    else
      judge_value(condition, pair, judged);
    result_.conditions.push_back(std::move(judged));
  }
  for (const MeasuredFigure& figure : base_.figures)
    if (is_meant(condition, figure) && is_missing(figure)) {
      met_any = true;
      JudgedCondition judged;
      judged.condition = index;
      judged.subject = figure.subject;
      judged.traffic = figure.traffic;
      judged.because = "the new run does not have this figure; check if it failed or ended early";
      result_.conditions.push_back(std::move(judged));
    }
  if (met_any) return;
  require_name(condition.subject, subjects_of(fresh_));
  require_name(condition.traffic, traffics_of(fresh_));
  JudgedCondition judged;
  judged.condition = index;
  judged.subject = condition.subject;
  judged.traffic = condition.traffic;
  judged.because = "not measured: " + why_not_measured(*condition.metric);
  result_.conditions.push_back(std::move(judged));
}

void Comparing::adjust_conditions() {
  std::vector<double> p;
  for (const JudgedCondition& judged : result_.conditions)
    if (judged.p) p.push_back(*judged.p);
  const std::vector<double> adjusted = holm_adjusted(p);
  auto next = adjusted.begin();
  for (JudgedCondition& judged : result_.conditions) {
    if (!judged.p) continue;
    judged.p = *next++;
    judged.held = *judged.p < kSignificance ? ConditionHeld::fails : ConditionHeld::passes;
  }
}

void Comparing::judge_conditions() {
  for (std::size_t i = 0; i < options_.conditions.size(); ++i) judge_condition(i);
  adjust_conditions();
}

// The yardstick ran on the same server and machine, so their gain or loss cancels out.
void Comparing::note_what_the_yardstick_hides() {
  const bool used = std::any_of(result_.figures.begin(), result_.figures.end(),
                                [](const auto& figure) { return figure.in_yardsticks; });
  for (const DifferentCircumstance& one : result_.different) {
    const bool of_the_ground = one.name == "server" || one.name == "processor" ||
                               one.name == "cores" || one.name == "kernel";
    if (!used || !of_the_ground) continue;
    result_.notes.push_back(fmt::format(
        "the {} differs: the ratios do not show its own gain or loss, because the yardstick "
        "ran on it too; to compare absolute figures, use --raw",
        one.name));
    return;
  }
}

void Comparing::note_what_was_measured_too_seldom() {
  const auto is_there = [&](bool by_round) {
    return std::ranges::any_of(result_.figures, [&](const ComparedFigure& figure) {
      return figure.finding == Finding::too_few_rounds && figure.metric->is(kByRound) == by_round;
    });
  };
  if (is_there(true))
    result_.notes.push_back(fmt::format(
        "fewer than {0} rounds cannot show a difference: use bench --rounds {0}", kLeastRounds));
  if (is_there(false))
    result_.notes.push_back(
        "a figure that was measured once cannot show a difference: fail on a value, such as "
        "--fail-if 'accuracy < 100%', or compare runs on the virtual clock with one seed");
}

void Comparing::note_what_weakens() {
  for (const MeasuredRun* run : {&base_, &fresh_}) {
    const char* which = run == &base_ ? "the base" : "the new run";
    result_.notes.insert(result_.notes.end(), run->notes.begin(), run->notes.end());
    if (!run->complete) result_.notes.push_back(fmt::format("{} ended early", which));
    if (run->other_cpu_percent >= kBusyPercent)
      result_.notes.push_back(fmt::format(
          "during {}, other programs used {:.0f} % of the CPU: measure on an idle machine for "
          "narrower intervals",
          which, run->other_cpu_percent));
  }
  note_what_the_yardstick_hides();
  note_what_was_measured_too_seldom();
  const auto bare = [](const ComparedFigure& figure) {
    return figure.metric->is(kByRound) && !figure.in_yardsticks &&
           figure.finding != Finding::too_few_rounds;
  };
  const bool benches = base_.kind == "bench" && fresh_.kind == "bench";
  if (benches && !options_.raw && std::any_of(result_.figures.begin(), result_.figures.end(), bare))
    result_.notes.push_back(
        "one of the runs has no yardstick: changes of the machine's load count as a difference");
}

}  // namespace

void require_same_traffic(const std::string& base, const std::string& fresh) {
  const auto plays = [](const std::string& kind) {
    return kind == "bench" || kind == "run" || kind == "simulate";
  };
  if (base == fresh || !plays(base) || !plays(fresh)) return;
  throw Error(Exit::usage,
              fmt::format("nothing to compare: the base is of rlctl {}, the new run of rlctl {}",
                          base, fresh),
              "they send different traffic; compare two results of the same verb");
}

RunComparison compare_runs(const MeasuredRun& base, const MeasuredRun& fresh,
                           const CompareOptions& options) {
  return Comparing(base, fresh, options).run();
}

}  // namespace rlctl
