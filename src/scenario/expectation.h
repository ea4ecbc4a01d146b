// Expectations: `metric{selector=value,…} op value[unit]`, and whether a run met them.
// Pure; "cannot be measured" is a result, not an error.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "scenario/scenario.h"
#include "scenario/scenario_result.h"

namespace rlctl {

// A measured value. If only bounds are known (accuracy), low < high.
//   MetricUnit    low, high                      out_of
//   count         both are the count             the selected operations (0: no percentage)
//   percent       right, decisions - wrong       the decisions
//   ratio         both are the peak              the limit
//   microseconds  both are the time, µs          0
// Of a fault after which no request came, a count may still have grown: high is kOpen.
struct ScenarioFigure {
  static constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::max();

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

// What a run measured. Judged metrics (kJudged) are measured once per policy if the expectation
// selects neither a policy nor a phase: Selection::policy is then always set.
class ScenarioFigures {
 public:
  virtual ~ScenarioFigures() = default;
  virtual Measurement measure(const MetricRow& metric, const Selection& selection) const = 0;
};

// All of the scenario's expectations, in their order.
std::vector<ExpectationResult> evaluate(const Scenario& scenario, const ScenarioFigures& figures);

}  // namespace rlctl
