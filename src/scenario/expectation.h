// Expectations: `metric{selector=value,…} op value[unit]`, and whether a run met them.
// Pure; "cannot be measured" is a result, not an error.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "scenario/scenario.h"
#include "scenario/scenario_result.h"

namespace rlctl {

// A measured value. If only bounds are known (accuracy), low < high.
//   counts        low = high = the count; out_of: the selected operations (0: no percentage)
//   accuracy      low: right, high: N - wrong, out_of: N
//   burst_factor  low = high = the peak; out_of: the limit
//   durations     slack, retry_after_error, recovery, latency, service: µs; out_of: 0
struct ScenarioFigure {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t out_of = 0;
};

// "it was not played", "no fault of that kind happened": why there is no figure. No full stop.
struct NotAvailable {
  std::string because;
  bool selects_nothing = false;  // there was traffic, but none that the selectors match
};

using Measurement = std::variant<ScenarioFigure, NotAvailable>;

// What a run measured. Judged metrics (`is_judged`) are measured once per policy if the expectation
// selects neither a policy nor a phase: Selection::policy is then always set.
class ScenarioFigures {
 public:
  virtual ~ScenarioFigures() = default;
  virtual Measurement measure(Metric metric, Statistic statistic,
                              const Selection& selection) const = 0;
};

// peak, burst_factor, over_admitted, false_denied, accuracy, slack: figures of a verdict.
bool is_judged(Metric metric);

// All of the scenario's expectations, in their order.
std::vector<ExpectationResult> evaluate(const Scenario& scenario, const ScenarioFigures& figures);

}  // namespace rlctl
