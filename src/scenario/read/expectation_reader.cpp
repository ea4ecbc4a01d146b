#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/escape.h"
#include "scenario/read/keys.h"
#include "scenario/read/part_readers.h"

namespace rlctl {
namespace {

// Selector values as indexes and words of the scenario.
class SelectionReader {
 public:
  SelectionReader(const Scenario& scenario, std::vector<TextMistake>& mistakes)
      : scenario_(scenario), mistakes_(mistakes) {}

  Selection read(const Condition& condition) {
    for (const Selector& selector : condition.selectors) select(selector);
    return selection_;
  }

 private:
  void select(const Selector& selector) {
    switch (selector.kind) {
      case SelectorKind::phase:
        return pick(selection_.phase, selector, names_of(scenario_.phases));
      case SelectorKind::who:
        return pick(selection_.who, selector, names_of(scenario_.identities));
      case SelectorKind::policy:
        return pick(selection_.policy, selector, names_of(scenario_.policies));
      case SelectorKind::key:
        selection_.key = selector.value;
        return;
      case SelectorKind::fault:
        selection_.fault = meaning_of<FaultKind>(selector.value);
        if (!selection_.fault) refuse(selector, all_words<FaultKind>());
        return;
    }
  }

  void pick(std::optional<std::uint32_t>& index, const Selector& selector,
            const std::vector<std::string>& names) {
    const auto found = std::ranges::find(names, selector.value);
    if (found == names.end()) return refuse(selector, names);
    index = static_cast<std::uint32_t>(found - names.begin());
  }

  void refuse(const Selector& selector, const std::vector<std::string>& names) {
    const std::string noun = selector.kind == SelectorKind::who ? "client" : name_of(selector.kind);
    mistakes_.push_back({selector.value_span,
                         fmt::format("there is no {} {}", noun, in_quotes(selector.value)),
                         suggestion(selector.value, names)});
  }

  const Scenario& scenario_;
  std::vector<TextMistake>& mistakes_;
  Selection selection_;
};

void read_one(const JsonValue& value, const std::string& pointer, const std::string& why,
              ScenarioContext& context) {
  std::vector<TextMistake> mistakes;
  if (const auto condition = read_condition(value.text, AskedIn::scenario, mistakes))
    context.scenario.expectations.push_back(
        {.text = value.text,
         .why = why,
         .metric = condition->metric,
         .selection = SelectionReader(context.scenario, mistakes).read(*condition),
         .comparison = condition->comparison,
         .value = condition->value,
         .place = context.place_of(value.span)});
  for (TextMistake& mistake : mistakes)
    context.problems.add(span_in_text(value, mistake.span), pointer, std::move(mistake.what),
                         std::move(mistake.hint));
}

}  // namespace

void read_expectations(const JsonValue& value, const std::string& pointer,
                       ScenarioContext& context) {
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const JsonValue& item = value.items[i];
    const std::string inner = pointer_to(pointer, i);
    if (item.kind == JsonKind::string) {
      read_one(item, inner, {}, context);
      continue;
    }
    if (item.kind != JsonKind::object) {
      context.problems.add(item.span, inner,
                           fmt::format("expected a text, not {}", name_of(item.kind)),
                           R"(write "over_admitted == 0")");
      continue;
    }
    ObjectFields fields(item, inner, keys_of(ScenarioObject::expectation), context.problems);
    fields.require("that", R"("that": "over_admitted == 0")");
    const std::string that = fields.text("that");
    const std::string why = fields.text("why");
    const JsonValue* written = fields.find("that");
    if (written != nullptr && written->kind == JsonKind::string)
      read_one(*written, pointer_to(inner, "that"), why, context);
  }
}

}  // namespace rlctl
