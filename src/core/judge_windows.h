// The figures of one key under a sliding window or aligned windows.
//
// First what costs nothing: a bound (no placement can exceed the limit) and containment (none can
// keep it). Between them lies scheduling (schedule.h), cluster by cluster: operations that cannot
// share a window with any before them start a new one.
#pragma once

#include "core/history.h"
#include "core/opinion.h"
#include "core/policy.h"
#include "core/schedule.h"
#include "core/verdict.h"
#include "core/window_rule.h"

namespace rlctl {

// `contract` is sliding, or fixed with a phase. Fills what is judged of the key; the counts of
// operations, peak, burst factor and accuracy's percentages are filled by the caller.
Figures judge_windows(const History& history, const Contract& contract,
                      const JudgeOptions& options);

// The parts, for contracts that borrow from these.
struct WindowRules {
  WindowRule admissions;
  WindowRule denials;
};
WindowRules rules_of(const Contract& contract, const JudgeOptions& options);

// none, possible or certain, and why; needs max_certain and max_possible.
void decide_over_admission(const History& history, const WindowRule& window, std::int64_t limit,
                           Figures& figures);
Schedulable schedule_windows(const std::vector<Placement>& admitted, const WindowRule& window,
                             std::int64_t limit);
std::int64_t most_possible(const History& history, const WindowRule& window);

// What the opinions add to the figures: false denials, right, wrong and undecided.
DenialRule denial_rule_of(const History& history, const Contract& contract,
                          const JudgeOptions& options);
void count_denials(const History& history, const std::vector<Opinion>& opinions, Figures& figures);
void count_admissions(const History& history, const std::vector<Opinion>& opinions,
                      Figures& figures);

}  // namespace rlctl
