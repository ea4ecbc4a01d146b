#include "verdict/judge_key.h"

#include <algorithm>
#include <tuple>

#include "verdict/containment.h"
#include "verdict/contract_rules.h"
#include "verdict/window_rule.h"

namespace rlctl {
namespace {

void add_counts(const History& history, Figures& figures) {
  figures.allowed = static_cast<std::int64_t>(history.admitted.size());
  figures.denied = static_cast<std::int64_t>(history.denied.size());
  figures.unknown = static_cast<std::int64_t>(history.unknown.size());
  figures.failed = history.failed;
  figures.operations = figures.allowed + figures.denied + figures.unknown;
  figures.decisions = figures.allowed + figures.denied;
}

void add_peak(const History& history, const Contract& contract, const JudgeOptions& options,
              Figures& figures) {
  const std::int64_t window = contract.window_us + (options.closed ? 1 : 0);
  const std::int64_t limit = contract.limit;
  if (contract.row().any_window) {
    figures.peak = figures.max_certain;
    figures.slack_us = window - widest_kept(history.admitted, window, limit);
  } else {
    const WindowRule sliding = WindowRule::sliding(window, -options.tolerance_us);
    figures.peak = most_certain(history.admitted, sliding, limit).count;
  }
  const auto allowance = static_cast<double>(std::max<std::int64_t>(limit, 1));
  figures.burst_factor = static_cast<double>(figures.peak) / allowance;
}

void add_accuracy(Figures& figures) {
  if (figures.decisions == 0) return;
  const auto decisions = static_cast<double>(figures.decisions);
  figures.accuracy_low = 100 * static_cast<double>(figures.right) / decisions;
  figures.accuracy_high = 100 * static_cast<double>(figures.decisions - figures.wrong) / decisions;
}

void add_sums(const Figures& key, Figures& totals) {
  totals.operations += key.operations;
  totals.allowed += key.allowed;
  totals.denied += key.denied;
  totals.unknown += key.unknown;
  totals.failed += key.failed;
  totals.excess_certain += key.excess_certain;
  totals.unverifiable_denials += key.unverifiable_denials;
  totals.decisions += key.decisions;
  totals.right += key.right;
  totals.wrong += key.wrong;
  totals.undecided += key.undecided;
  totals.certain_false_denials.insert(totals.certain_false_denials.end(),
                                      key.certain_false_denials.begin(),
                                      key.certain_false_denials.end());
}

void add_worst(const Figures& key, Figures& totals) {
  totals.max_certain = std::max(totals.max_certain, key.max_certain);
  totals.max_possible = std::max(totals.max_possible, key.max_possible);
  totals.peak = std::max(totals.peak, key.peak);
  totals.burst_factor = std::max(totals.burst_factor, key.burst_factor);
  totals.slack_us = std::max(totals.slack_us, key.slack_us);
}

auto badness(const Figures& figures) {
  return std::make_tuple(figures.proof, figures.max_certain, figures.excess_certain,
                         figures.certain_false_denials.size(), figures.max_possible);
}

}  // namespace

Figures judge_key(const History& history, const Contract& contract, const JudgeOptions& options) {
  Figures figures = judge_by_kind(history, contract, options);
  add_counts(history, figures);
  add_peak(history, contract, options, figures);
  add_accuracy(figures);
  return figures;
}

Figures total_of(const std::vector<KeyFigures>& keys) {
  Figures totals;
  const Figures* worst = nullptr;
  for (const KeyFigures& key : keys) {
    add_sums(key.figures, totals);
    add_worst(key.figures, totals);
    if (!worst || worse(key.figures, *worst)) worst = &key.figures;
  }
  if (worst) {
    totals.over_admission = worst->over_admission;
    totals.proof = worst->proof;
    totals.worst_window = worst->worst_window;
  }
  std::sort(totals.certain_false_denials.begin(), totals.certain_false_denials.end());
  add_accuracy(totals);
  return totals;
}

bool worse(const Figures& a, const Figures& b) { return badness(a) > badness(b); }

}  // namespace rlctl
