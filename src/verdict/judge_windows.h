// The figures of one key under a sliding window or aligned windows.
//
// First the cheap tests: a bound (no placement can exceed the limit) and containment (no placement
// can keep it). Between the two, scheduling (feasibility.h) decides, cluster by cluster:
// an operation that cannot share a window with any before it starts a new cluster.
#pragma once

#include "policy/rule.h"
#include "verdict/algorithm/feasibility.h"
#include "verdict/algorithm/window_rule.h"
#include "verdict/history.h"
#include "verdict/judge_key.h"
#include "verdict/opinion.h"
#include "verdict/verdict.h"

namespace rlctl {

// `rule` is sliding, or fixed with a phase.
RuleOpinion judge_windows(const History& history, const Rule& rule, const JudgeOptions& options);

// The parts, for the judges of other contracts.
struct WindowRules {
  WindowRule admissions;
  WindowRule denials;
};
WindowRules rules_of(const Rule& contract, const JudgeOptions& options);

// What the admissions prove, without an opinion on each.
Figures figures_of_windows(const History& history, const WindowRule& window, std::int64_t limit);

// Sets over_admission and its proof; needs max_certain and max_possible.
void decide_over_admission(const History& history, const WindowRule& window, std::int64_t limit,
                           Figures& figures);
Schedulable schedule_windows(const std::vector<Placement>& admitted, const WindowRule& window,
                             std::int64_t limit);
std::int64_t most_possible(const History& history, const WindowRule& window);

DenialRule denial_rule_of(const History& history, const Rule& contract,
                          const JudgeOptions& options);

}  // namespace rlctl
