#include "core/judge_phase.h"

#include "core/containment.h"
#include "core/judge_windows.h"
#include "core/opinion.h"
#include "core/phase.h"

namespace rlctl {
namespace {

// With a tolerance an operation may count for the window on either side of an edge.
std::vector<Placement> widened(std::vector<Placement> placements, std::int64_t by_us) {
  for (Placement& p : placements) p.high_us += by_us;
  return placements;
}

// Wrong must be wrong at every phase: the sliding window's word. Right is the best phase's.
std::vector<Opinion> denial_opinions(const History& history, const Contract& best,
                                     const JudgeOptions& options) {
  const DenialRule rule = denial_rule_of(history, best, options);
  const WindowRule sliding = WindowRule::sliding(best.window_us, options.tolerance_us);
  std::vector<Opinion> opinions = judge_denials(history, sliding, rule);
  const auto at_best = judge_denials(history, rules_of(best, options).denials, rule);
  for (std::size_t i = 0; i < opinions.size(); ++i) {
    if (opinions[i] == Opinion::right) opinions[i] = Opinion::undecided;
    if (opinions[i] == Opinion::undecided && at_best[i] == Opinion::right) {
      opinions[i] = Opinion::right;
    }
  }
  return opinions;
}

}  // namespace

Figures judge_unknown_phase(const History& history, const Contract& contract,
                            const JudgeOptions& options) {
  const BestPhase phase = best_phase(widened(history.admitted, options.tolerance_us),
                                     contract.window_us, contract.limit);
  Contract best = contract;
  best.phase_us = phase.phase_us;
  const WindowRules rules = rules_of(best, options);
  Figures figures;
  figures.max_certain = phase.max_certain;
  figures.excess_certain = phase.excess;
  figures.worst_window = most_certain(history.admitted, rules.admissions, contract.limit).window;
  figures.max_possible =
      most_possible(history, WindowRule::sliding(contract.window_us, -options.tolerance_us));
  decide_over_admission(history, rules.admissions, contract.limit, figures);
  if (figures.proof == Proof::schedule) {  // at this phase only
    figures.proof = Proof::undetermined;
    figures.over_admission = OverAdmission::possible;
  }
  count_denials(history, denial_opinions(history, best, options), figures);
  count_admissions(
      history, judge_admissions(history, rules.admissions, contract.limit, contract.counts_denied),
      figures);
  return figures;
}

}  // namespace rlctl
