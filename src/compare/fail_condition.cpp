#include "compare/fail_condition.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"

namespace rlctl {
namespace {

constexpr const char* kExample =
    "such as 'p99 > +10%', 'accuracy < 100%' or 'p99{algo=fixed} > 5ms'";

double number_of(const ConditionValue& value) {
  const auto amount = static_cast<double>(value.amount);
  const double number = value.unit == ValueUnit::duration ? amount : amount / kMillion;
  return value.is_change ? 1 + number / 100 : number;
}

}  // namespace

FailCondition parse_fail_condition(std::string_view text) {
  std::vector<TextMistake> mistakes;
  const auto read = read_condition(text, AskedIn::comparison, mistakes);
  if (!mistakes.empty()) {
    const auto& [span, what, hint] = mistakes.front();
    throw Error(Exit::usage, fmt::format("--fail-if: {}: {}", in_quotes(text), what),
                hint.empty() ? kExample : hint);
  }
  FailCondition condition{.text = escape_for_terminal(text),
                          .metric = read->metric,
                          .comparison = read->comparison,
                          .relative = read->value.is_change,
                          .value = number_of(read->value)};
  for (const Selector& selector : read->selectors)
    (selector.kind == SelectorKind::policy ? condition.subject : condition.traffic) =
        escape_for_terminal(selector.value);
  return condition;
}

}  // namespace rlctl
