#include "verdict/judge_windows.h"

#include <algorithm>
#include <limits>

#include "verdict/algorithm/step_function.h"
#include "verdict/containment.h"
#include "verdict/pace.h"

namespace rlctl {
namespace {

Schedulable schedule_cluster(const std::vector<Placement>& admitted, std::size_t first,
                             std::size_t last, const WindowRule& window, std::int64_t limit) {
  std::vector<Job<std::int64_t>> jobs;
  std::int64_t units = 0;
  for (std::size_t i = first; i < last; ++i) {
    jobs.push_back({admitted[i].low_us, admitted[i].high_us, admitted[i].cost});
    units += admitted[i].cost;
  }
  if (units <= limit) return Schedulable::yes;
  return Scheduler<std::int64_t, WindowPace>(std::move(jobs), WindowPace(window, limit)).run();
}

// If no placement puts more than the limit into a window, every admission is right.
std::vector<Opinion> admission_opinions(const History& history, const WindowRule& window,
                                        const Rule& contract, const Figures& figures) {
  if (figures.max_possible <= contract.limit && !contract.counts_denied)
    return std::vector<Opinion>(history.admitted.size(), Opinion::right);
  return judge_admissions(history, window, contract.limit, contract.counts_denied);
}

}  // namespace

WindowRules rules_of(const Rule& contract, const JudgeOptions& options) {
  const std::int64_t tolerance = options.tolerance_us;
  if (contract.row().takes_phase) {
    const std::int64_t phase = contract.phase_us.value_or(0);
    return {WindowRule::aligned(contract.window_us, phase, -tolerance),
            WindowRule::aligned(contract.window_us, phase, tolerance)};
  }
  // What opens a window of a first hit is not in the next one, a window later.
  const bool closed = options.closed && contract.kind == RuleKind::sliding;
  const std::int64_t window = contract.window_us + (closed ? 1 : 0);
  return {WindowRule::sliding(window, -tolerance), WindowRule::sliding(window, tolerance)};
}

std::int64_t most_possible(const History& history, const WindowRule& window) {
  DepthChanges changes;
  for (const Placement& p : history.admitted) changes.add(p.low_us, window.end(p.high_us), p.cost);
  for (const Placement& p : history.unknown) changes.add(p.low_us, window.end(p.high_us), p.cost);
  changes.sort();
  return changes.most();
}

Schedulable schedule_windows(const std::vector<Placement>& admitted, const WindowRule& window,
                             std::int64_t limit) {
  Schedulable answer = Schedulable::yes;
  std::size_t first = 0;
  std::int64_t open_until = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i <= admitted.size(); ++i) {
    if (i == admitted.size() || admitted[i].low_us >= open_until) {
      const Schedulable cluster = schedule_cluster(admitted, first, i, window, limit);
      if (cluster == Schedulable::no) return cluster;
      if (cluster == Schedulable::undetermined) answer = cluster;
      first = i;
    }
    if (i < admitted.size()) open_until = std::max(open_until, window.end(admitted[i].high_us));
  }
  return answer;
}

void decide_over_admission(const History& history, const WindowRule& window, std::int64_t limit,
                           Figures& figures) {
  if (figures.max_certain > limit) {
    figures.over_admission = OverAdmission::certain;
    figures.proof = Proof::containment;
    return;
  }
  if (figures.max_possible <= limit) return;  // the bound proves: none
  switch (schedule_windows(history.admitted, window, limit)) {
    case Schedulable::yes:
      figures.proof = Proof::witness;
      break;
    case Schedulable::no:
      figures.proof = Proof::schedule;
      break;
    case Schedulable::undetermined:
      figures.proof = Proof::undetermined;
      break;
  }
  figures.over_admission =
      figures.proof == Proof::schedule ? OverAdmission::certain : OverAdmission::possible;
}

DenialRule denial_rule_of(const History& history, const Rule& contract,
                          const JudgeOptions& options) {
  DenialRule rule;
  rule.limit = contract.limit;
  rule.counts_denied = contract.counts_denied;
  if (contract.block_us > 0) rule.block_us = contract.block_us + options.tolerance_us;
  if (!options.fresh) {
    // What the log does not show may start a block at the end of what it reaches.
    rule.verifiable_from_us =
        history.from_us + memory_us(contract) + options.tolerance_us + rule.block_us;
  }
  return rule;
}

Figures figures_of_windows(const History& history, const WindowRule& window, std::int64_t limit) {
  Figures figures;
  Containment contained = most_certain(history.admitted, window, limit);
  figures.max_certain = contained.count;
  figures.worst_window = std::move(contained.window);
  figures.max_possible = most_possible(history, window);
  decide_over_admission(history, window, limit, figures);
  if (figures.proof == Proof::containment)
    figures.excess_certain = least_excess(history.admitted, window, limit);
  return figures;
}

RuleOpinion judge_windows(const History& history, const Rule& rule, const JudgeOptions& options) {
  const WindowRules rules = rules_of(rule, options);
  Figures figures = figures_of_windows(history, rules.admissions, rule.limit);
  auto denials = judge_denials(history, rules.denials, denial_rule_of(history, rule, options));
  auto admissions = admission_opinions(history, rules.admissions, rule, figures);
  return {std::move(figures), std::move(denials), std::move(admissions)};
}

}  // namespace rlctl
