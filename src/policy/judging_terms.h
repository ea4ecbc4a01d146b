// How a run wants its decisions to be judged. A log's header has it, so that verify judges as the
// run did. Plain values; times are µs, shares are 0 to 1.
#pragma once

#include <cstdint>
#include <optional>

namespace rlctl {

// Error budgets: a run that exceeds them is inconclusive, unless a violation is certain. Shares of
// the operations; empty: no budget.
struct Budgets {
  std::optional<double> unknown_share;
  std::optional<double> failed_share;   // of the operations and the failed requests
  std::optional<double> late_share;     // sent more than late_after_us behind the schedule
  std::int64_t late_after_us = 10'000;  // without a budget, used only in the note
  std::optional<double> dropped_share;  // planned, never sent, not in the log

  bool operator==(const Budgets&) const = default;
};

// Where neither a scenario nor an option of verify says otherwise.
inline constexpr Budgets kUsualBudgets{
    .unknown_share = 0.01, .failed_share = 0.01, .late_share = 0.01, .dropped_share = 0.0};

// The shares, with their names in a scenario, in a log's header and in verify's --budget-NAME.
struct BudgetShare {
  const char* name;
  std::optional<double> Budgets::*share;
};
inline constexpr BudgetShare kBudgetShares[] = {{"unknown", &Budgets::unknown_share},
                                                {"failed", &Budgets::failed_share},
                                                {"late", &Budgets::late_share},
                                                {"dropped", &Budgets::dropped_share}};

struct JudgingTerms {
  // The resolution of the limiter's own clock: admissions are judged with W - tolerance, denials
  // with W + tolerance.
  std::int64_t tolerance_us = 0;
  bool fresh = false;              // the keys were empty at the start of the log
  bool fresh_is_promised = false;  // by the user: rlctl has not seen it
  // An unanswered request was decided within this time after sending, or never.
  std::optional<std::int64_t> max_inflight_us;
  // HTTP: the work on an admitted request takes at least this long, and ends with the answer.
  std::int64_t held_at_least_us = 0;
  double allowed_false_denials = 0;  // share of the denials

  bool operator==(const JudgingTerms&) const = default;
};

}  // namespace rlctl
