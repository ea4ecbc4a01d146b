#include "scenario/expectation.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "base/units.h"

namespace rlctl {
namespace {

// measured op value, without a division: shares are compared by cross-multiplying. Every value
// between the bounds is possible.
Held judge_figure(const Expectation& expectation, const ScenarioFigure& figure) {
  const ValueUnit unit = expectation.value.unit;
  const bool share = unit == ValueUnit::percent;
  const bool ratio = expectation.metric->unit == MetricUnit::ratio;
  const Wide factor = unit == ValueUnit::duration ? 1 : share ? 100 * kMillion : kMillion;
  const Wide wanted = Wide{expectation.value.amount} * (share || ratio ? figure.out_of : 1);
  const auto held = compares<Wide>({figure.low * factor, figure.high * factor},
                                   expectation.comparison, {wanted, wanted});
  if (!held) return Held::could_not_tell;
  return *held ? Held::held : Held::broken;
}

std::string percent_of(std::int64_t amount, std::int64_t out_of) {
  const double percent = 100.0 * static_cast<double>(amount) / static_cast<double>(out_of);
  return fmt::format("{:.4g} %", percent);
}

std::string words_for(const Expectation& expectation, const ScenarioFigure& figure) {
  const MetricUnit unit = expectation.metric->unit;
  if (figure.high == ScenarioFigure::kOpen)
    return format_count(figure.low) + " or more, because no request came after the fault";
  if (unit == MetricUnit::microseconds) return format_duration_for_people(figure.high);
  if (unit == MetricUnit::ratio)
    return fmt::format("{:.4g}",
                       static_cast<double>(figure.high) / static_cast<double>(figure.out_of));
  if (unit == MetricUnit::percent) {
    const std::string low = percent_of(figure.low, figure.out_of);
    if (figure.low == figure.high) return low;
    return fmt::format("between {} and {}", low, percent_of(figure.high, figure.out_of));
  }
  std::string text = format_count(figure.high);
  if (figure.low != figure.high)
    text = fmt::format("between {} and {}", format_count(figure.low), text);
  if (expectation.value.unit == ValueUnit::percent)
    text += fmt::format(" of {} ({})", format_count(figure.out_of),
                        percent_of(figure.high, figure.out_of));
  return text;
}

bool needs_total(const Expectation& expectation) {
  return expectation.value.unit == ValueUnit::percent ||
         expectation.metric->unit == MetricUnit::ratio;
}

ExpectationResult judge_measured(const Expectation& expectation, const Measurement& measured) {
  ExpectationResult result;
  if (const auto* missing = std::get_if<NotAvailable>(&measured)) {
    result.measured = missing->because;
    return result;
  }
  const ScenarioFigure& figure = std::get<ScenarioFigure>(measured);
  if (needs_total(expectation) && figure.out_of <= 0) {
    result.measured = "no request was decided";
    return result;
  }
  result.held = judge_figure(expectation, figure);
  result.measured = words_for(expectation, figure);
  return result;
}

ExpectationResult judge_one(const Expectation& expectation, const ScenarioFigures& figures) {
  return judge_measured(expectation, figures.measure(*expectation.metric, expectation.selection));
}

ExpectationResult judge_each_policy(const Scenario& scenario, const Expectation& expectation,
                                    const ScenarioFigures& figures) {
  std::set<std::uint32_t> policies;
  for (const Phase& phase : scenario.phases) policies.insert(phase.policy);
  std::optional<ExpectationResult> worst;
  std::optional<ExpectationResult> unasked;  // the selectors match none of its requests
  for (const std::uint32_t policy : policies) {
    Selection selection = expectation.selection;
    selection.policy = policy;
    const Measurement measured = figures.measure(*expectation.metric, selection);
    ExpectationResult result = judge_measured(expectation, measured);
    const auto* missing = std::get_if<NotAvailable>(&measured);
    if (missing != nullptr && missing->selects_nothing) {
      unasked = std::move(result);
      continue;
    }
    if (policies.size() > 1) result.measured += " with policy " + scenario.policies[policy].name;
    if (!worst || result.held > worst->held) worst = std::move(result);
  }
  return worst ? *worst : unasked.value_or(ExpectationResult());
}

}  // namespace

std::vector<ExpectationResult> evaluate(const Scenario& scenario, const ScenarioFigures& figures) {
  std::vector<ExpectationResult> results;
  for (std::size_t i = 0; i < scenario.expectations.size(); ++i) {
    const Expectation& expectation = scenario.expectations[i];
    const Selection& selection = expectation.selection;
    const bool each = expectation.metric->is(kJudged) && !selection.policy && !selection.phase &&
                      !selection.fault;
    results.push_back(each ? judge_each_policy(scenario, expectation, figures)
                           : judge_one(expectation, figures));
    results.back().expectation = static_cast<std::uint32_t>(i);
  }
  return results;
}

}  // namespace rlctl
