// Compares a new run with a base, figure by figure: how much they differ, and whether the
// difference is more than chance. Pure; the same runs give the same answer. Throws
// Error(Exit::usage) if they have no figure in common, or if a condition names something that
// neither of them has.
//
// Rounds of one bench are similar, and a machine drifts over seconds: two benches of the same
// limiter, one after the other, differ because the machine's load changes. So bench measures a
// yardstick in every round, and each round is counted in units of its own yardstick. These ratios
// are tested by ranks (compare/mann_whitney.h), all at once with Holm's procedure. A condition on a
// change tests the shifted hypothesis: "p99 > +10%" fails when a ratio of 1.10 or less is rejected.
//
// A figure that each run has only once, such as its accuracy, can't be tested: if the two differ,
// nobody knows whether by chance. Only runs on the virtual clock with one seed give it again.
//
// The room compare: measured runs, and whether two of them differ by more than chance.
// - It includes result, verdict, arrivals, log, policy and base. It is pure.
// - It must not measure anything or read files; the verb passes the texts.
//
// Begin with measured_run.h (a run as figures). Then: this file, mann_whitney.h (the test),
// fail_condition.h (--fail-if). The table of metrics is verdict/condition/metric.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/words.h"
#include "compare/fail_condition.h"
#include "compare/mann_whitney.h"
#include "compare/measured_run.h"
#include "result/comparison_document.h"

namespace rlctl {

// With fewer rounds, a rank test over several figures can hardly show a difference.
inline constexpr std::size_t kLeastRounds = 9;
inline constexpr double kSignificance = 0.05;

struct ComparedFigure {
  std::string subject;       // of the new run
  std::string base_subject;  // differs if each run has one unpaired subject
  std::string traffic;
  const MetricRow* metric = nullptr;
  std::size_t base_rounds = 0;
  std::size_t fresh_rounds = 0;
  bool in_yardsticks = false;
  double base = 0;  // the median of the rounds, or the figure itself: the most that it may be
  double fresh = 0;
  double base_low = 0;  // the least that it may be; lower if a log does not tell it exactly
  double fresh_low = 0;
  std::optional<RatioEstimate> ratio;  // of rounds; the interval at 95 %
  double p = 1;                        // adjusted for the family of figures; two-sided
  Finding finding = Finding::alike;    // too_few_rounds: also of a figure that was measured once
};

inline bool is_exact(const ComparedFigure& figure) {
  return figure.base_low == figure.base && figure.fresh_low == figure.fresh;
}

struct JudgedCondition {
  std::size_t condition = 0;  // index into CompareOptions::conditions
  std::string subject;
  std::string traffic;
  ConditionHeld held = ConditionHeld::undecided;
  std::optional<double> p;  // of a change over rounds; one-sided, adjusted for all conditions
  std::string because;
};

struct DifferentCircumstance {
  std::string name;
  std::string base;
  std::string fresh;
};

struct RunComparison {
  std::string base_path;
  std::string fresh_path;
  std::vector<DifferentCircumstance> different;
  std::vector<DifferentCircumstance> verdicts;  // by subject, if they changed
  std::vector<ComparedFigure> machine;          // the yardstick itself
  std::vector<ComparedFigure> figures;
  std::int64_t left_out = 0;  // figures of both runs that only CompareOptions::all compares
  std::vector<JudgedCondition> conditions;
  std::vector<std::string> notes;  // sentences without a final stop
};

struct CompareOptions {
  std::vector<FailCondition> conditions;
  bool raw = false;  // absolute figures, without the yardstick
  bool all = false;  // test every metric, not only those of the table
};

// Verbs that play send different traffic, so that no figure of one is like that of another. A log,
// judged or not, may be of any of them. `base`, `fresh`: MeasuredRun::kind.
void require_same_traffic(const std::string& base, const std::string& fresh);

RunComparison compare_runs(const MeasuredRun& base, const MeasuredRun& fresh,
                           const CompareOptions& options);

}  // namespace rlctl
