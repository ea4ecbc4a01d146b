#include "scenario/read/scenario_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenario/read/checks.h"
#include "scenario/read/keys.h"
#include "scenario/read/part_readers.h"

namespace rlctl {
namespace {

// "scenarios/holds/drain.json" -> "drain".
std::string stem_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  const std::size_t dot = name.find('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

void read_head(ObjectFields& fields, Scenario& scenario) {
  scenario.name = fields.text("name", stem_of(scenario.file));
  if (scenario.name.empty()) fields.complain("name", "the name is empty");
  scenario.description = fields.text("description");
  fields.text("$schema");
  scenario.seed = static_cast<std::uint64_t>(fields.count("seed", 1, {0}));
  fields.require("clock", R"(add "clock": "wall", or "virtual" (minutes in milliseconds))");
  scenario.clock = fields.word("clock", ScenarioClock::wall);
  scenario.speed = fields.count("speed", 1, {1, 10'000});
}

struct ExpectedWord {
  std::string name;
  std::optional<VerdictKind> verdict;
};

// "any" is for scenarios in which only the expectations count.
std::vector<ExpectedWord> expected_words() {
  std::vector<ExpectedWord> words;
  for (const auto& row : words_of(VerdictKind())) words.push_back({row.name, row.meaning});
  words.push_back({"any", std::nullopt});
  return words;
}

std::optional<VerdictKind> read_verdict(ObjectFields& fields) {
  const std::vector<ExpectedWord> words = expected_words();
  const std::vector<std::string> names = names_of(words);
  fields.require("verdict", "set the expected verdict: " + one_of(names));
  const std::string written = fields.text("verdict", names.front());
  const auto word = std::ranges::find(words, written, &ExpectedWord::name);
  if (word != words.end()) return word->verdict;
  fields.complain("verdict", in_quotes(written) + " is not allowed here",
                  suggestion(written, names));
  return words.front().verdict;
}

void read_budget(const JsonValue& value, ScenarioContext& context) {
  ObjectFields fields(value, "/budget", keys_of(ScenarioObject::budget), context.problems);
  Scenario& scenario = context.scenario;
  Budgets& budgets = scenario.budgets;
  for (const auto& [name, share] : kBudgetShares)
    budgets.*share = fields.share(name, *(budgets.*share));
  budgets.late_after_us = fields.duration("late_after", budgets.late_after_us);
  scenario.wall_us = fields.positive_duration("wall", scenario.wall_us);
}

// Returns the member if it is a list. Otherwise reports it, once, here.
const JsonValue* list_of(ObjectFields& fields, const char* name) {
  fields.list(name);
  const JsonValue* value = fields.find(name);
  return value != nullptr && value->kind == JsonKind::array ? value : nullptr;
}

void read_parts(ObjectFields& fields, ScenarioContext& context) {
  fields.require("policies",
                 R"(add {"api": {"algo": "sliding-list", "limit": 20, "window": "60s", …}})");
  fields.require("phases", "add a list of phases, which define the traffic");
  if (const JsonValue* value = fields.find("target")) read_target(*value, "/target", context);
  if (const JsonValue* value = fields.find("policies")) read_policies(*value, "/policies", context);
  if (const JsonValue* value = fields.find("identities"))
    read_identities(*value, "/identities", context);
  const JsonValue* phases = list_of(fields, "phases");
  if (phases != nullptr && phases->items.empty())
    fields.complain("phases", "the list is empty; add a phase");
  if (phases != nullptr) read_phases(*phases, "/phases", context);
  if (const JsonValue* faults = list_of(fields, "faults")) read_faults(*faults, "/faults", context);
  if (const JsonValue* expect = list_of(fields, "expect"))
    read_expectations(*expect, "/expect", context);
  if (const JsonValue* value = fields.find("budget")) read_budget(*value, context);
}

void read_scenario(const JsonValue& root, ScenarioContext& context) {
  ObjectFields fields(root, "", keys_of(ScenarioObject::scenario), context.problems);
  if (root.kind != JsonKind::object) return;
  Scenario& scenario = context.scenario;
  read_head(fields, scenario);
  scenario.verdict = read_verdict(fields);
  if (fields.has("own_contract"))
    scenario.own_contract = fields.word("own_contract", VerdictKind::holds);
  read_parts(fields, context);
  check_scenario(root, context);
}

std::vector<FileMistake> mistakes_of(const SourceText& source,
                                     const std::vector<SourceProblem>& problems) {
  std::vector<FileMistake> mistakes;
  for (const SourceProblem& problem : problems)
    mistakes.push_back(
        {source.place_of(problem.span.begin), problem.pointer, problem.what, problem.hint});
  std::ranges::stable_sort(mistakes, {}, [](const FileMistake& mistake) {
    return std::pair(mistake.place.line, mistake.place.column);
  });
  return mistakes;
}

}  // namespace

ParsedScenario parse_scenario(const std::string& file, std::string text, ScenarioFiles& files) {
  const SourceText source(file, std::move(text));
  JsonDocument document = parse_json_document(source.text());
  Scenario scenario;
  scenario.file = file;
  scenario.name = stem_of(file);
  if (document.complete) {
    SourceProblems problems(document.problems);
    ScenarioContext context{scenario, source, problems, files};
    read_scenario(document.root, context);
  }
  ParsedScenario parsed;
  parsed.name = scenario.name;
  parsed.placed_mistakes = mistakes_of(source, document.problems);
  if (document.problems.empty()) {
    parsed.scenario = std::move(scenario);
  } else {
    parsed.mistakes = describe_all(source, std::move(document.problems));
  }
  return parsed;
}

}  // namespace rlctl
