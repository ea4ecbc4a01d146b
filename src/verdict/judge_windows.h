// The figures of one key under a sliding window or aligned windows.
//
// First the cheap tests: a bound (no placement can exceed the limit) and containment (no placement
// can keep it). Between the two, scheduling (feasibility.h) decides, cluster by cluster: an operation
// that cannot share a window with any before it starts a new cluster.
#pragma once

#include "policy/contract.h"
#include "verdict/feasibility.h"
#include "verdict/history.h"
#include "verdict/opinion.h"
#include "verdict/verdict.h"
#include "verdict/window_rule.h"

namespace rlctl {

// `contract` is sliding, or fixed with a phase. Fills the judged figures of the key; the caller
// fills the counts of operations, the peak, the burst factor and the percentages of accuracy.
Figures judge_windows(const History& history, const Contract& contract,
                      const JudgeOptions& options);

// The parts, for the judges of other contracts.
struct WindowRules {
  WindowRule admissions;
  WindowRule denials;
};
WindowRules rules_of(const Contract& contract, const JudgeOptions& options);

// Sets over_admission and its proof; needs max_certain and max_possible.
void decide_over_admission(const History& history, const WindowRule& window, std::int64_t limit,
                           Figures& figures);
Schedulable schedule_windows(const std::vector<Placement>& admitted, const WindowRule& window,
                             std::int64_t limit);
std::int64_t most_possible(const History& history, const WindowRule& window);

// For the figures that come from opinions: false denials, right, wrong and undecided.
DenialRule denial_rule_of(const History& history, const Contract& contract,
                          const JudgeOptions& options);
void count_denials(const History& history, const std::vector<Opinion>& opinions, Figures& figures);
void count_admissions(const History& history, const std::vector<Opinion>& opinions,
                      Figures& figures);

}  // namespace rlctl
