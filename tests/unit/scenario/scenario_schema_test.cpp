// scenarios/scenario.schema.json and the parser accept the same format.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "base/text.h"
#include "base/words.h"
#include "policy/request_text.h"
#include "scenario/read/keys.h"
#include "tools/json_schema.h"
#include "unit/scenario/scenario_fixture.h"

using namespace rlctl;
using Json = nlohmann::json;

namespace {

const std::filesystem::path kScenarios = std::filesystem::path(RLCTL_UNIT_DIR) / "../../scenarios";

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Json with_comments(const std::string& text) { return Json::parse(text, nullptr, true, true); }

const Json& schema() {
  static const Json root = Json::parse(contents(kScenarios / "scenario.schema.json"));
  return root;
}

const Json& definition(ScenarioObject object) {
  if (object == ScenarioObject::scenario) return schema();
  return schema().at("$defs").at(name_of(object));
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> enum_at(const char* pointer) {
  return schema().at(Json::json_pointer(pointer)).get<std::vector<std::string>>();
}

// All metrics of that place, in the order of the table. Line breaks are ignored.
bool has_list(std::string text, AskedIn place) {
  std::ranges::replace(text, '\n', ' ');
  std::string list;
  for (const MetricRow* metric : metrics_in(place))
    list += (list.empty() ? "" : ", ") + std::string(metric->name_in(place));
  return text.find(" " + list + ".") != text.npos;
}

constexpr ScenarioObject kObjects[] = {
    ScenarioObject::scenario, ScenarioObject::policy,      ScenarioObject::target,
    ScenarioObject::identity, ScenarioObject::phase,       ScenarioObject::stage,
    ScenarioObject::burst,    ScenarioObject::share,       ScenarioObject::fault,
    ScenarioObject::budget,   ScenarioObject::expectation, ScenarioObject::route,
    ScenarioObject::login,
};

}  // namespace

TEST_CASE("schema and parser know the same keys") {
  for (const ScenarioObject object : kObjects) {
    CAPTURE(name_of(object));
    std::vector<std::string> in_schema;
    for (const auto& [key, rule] : definition(object).at("properties").items()) {
      in_schema.push_back(key);
      const bool refers = rule.contains("$ref");
      CHECK_MESSAGE((refers || rule.contains("description")), key << " has no description");
    }
    const auto keys = keys_of(object);
    CHECK(sorted(in_schema) == sorted({keys.begin(), keys.end()}));
    CHECK(definition(object).at("additionalProperties") == false);
  }
}

TEST_CASE("schema and parser know the same words") {
  CHECK(enum_at("/properties/clock/enum") == all_words<ScenarioClock>());
  CHECK(enum_at("/$defs/policy/properties/run/enum") == all_words<RunChoice>());
  const std::string rules =
      definition(ScenarioObject::policy)["properties"]["rules"]["description"];
  for (const RuleRow& row : kRuleRows) CHECK(rules.find(row.grammar) != std::string::npos);
  CHECK(enum_at("/$defs/target/properties/kind/enum") == all_words<TargetKind>());
  CHECK(enum_at("/$defs/target/properties/on_error/enum") == all_words<OnError>());
  CHECK(enum_at("/$defs/identity/properties/pick/enum") == all_words<Pick>());
  CHECK(enum_at("/$defs/phase/properties/align/enum") == all_words<Anchor>());
  CHECK(enum_at("/$defs/phase/properties/arrivals/enum") == all_words<ArrivalPattern>());
  CHECK(enum_at("/$defs/phase/properties/on_deny/enum") == all_words<OnDeny>());
  CHECK(enum_at("/$defs/fault/properties/do/enum") == all_words<FaultKind>());
  std::vector<std::string> verdicts = all_words<VerdictKind>();
  CHECK(enum_at("/properties/own_contract/enum") == verdicts);
  verdicts.emplace_back("any");
  CHECK(enum_at("/properties/verdict/enum") == verdicts);
}

TEST_CASE("the schema describes each fault as the table does") {
  const Json& properties = definition(ScenarioObject::fault).at("properties");
  std::string sentences;
  std::map<std::string, std::vector<std::string>> takers;
  for (const FaultRow& row : words_of(FaultKind{})) {
    sentences += (sentences.empty() ? "" : " ") + std::string(row.name) + ": " + row.sentence + ".";
    for (const FaultMember& member : row.takes)
      if (*member.name != 0) takers[member.name].emplace_back(row.name);
  }
  CHECK(properties.at("do").at("description") == sentences);
  CHECK(properties.size() == takers.size() + 2);
  for (const auto& [member, kinds] : takers) {
    const auto description = properties.at(member).at("description").get<std::string>();
    CHECK(description.starts_with(joined(kinds) + ": "));
  }
}

TEST_CASE("every metric can be expected, and nothing else") {
  const auto claims = [](const std::string& claim) {
    Json scenario = with_comments(small_scenario());
    scenario["expect"] = Json::array({claim});
    return schema_violation(schema(), scenario) == "";
  };
  std::string pattern;
  for (const MetricRow* metric : metrics_in(AskedIn::scenario))
    for (const std::string& name : names_of(*metric)) {
      CHECK(claims(name + "{phase=bot} <= 1"));
      for (const char c : (pattern.empty() ? "" : "|") + name)
        pattern += c == '.' ? "\\." : std::string(1, c);
    }
  const Json& claim = schema().at("$defs").at("claim");
  CHECK(claim.at("pattern").get<std::string>().starts_with("^\\s*(" + pattern + ")\\s*("));
  CHECK(has_list(claim.at("description"), AskedIn::scenario));
  CHECK(!claims("latency <= 1ms"));
  CHECK(!claims("peaks <= 1"));
  CHECK(!claims("peak = 1"));
}

TEST_CASE("the README lists every metric") {
  const std::string readme = contents(kScenarios / "../README.md");
  CHECK(has_list(readme, AskedIn::scenario));
  CHECK(has_list(readme, AskedIn::comparison));
}

TEST_CASE("the README names every word of a request and every key of a scenario") {
  const std::string readme = contents(kScenarios / "../README.md");
  for (const RequestWordRow& row : kRequestWords)
    CHECK(readme.find("| `<" + std::string(row.name) + ">` | " + row.sentence + " |") !=
          std::string::npos);
  for (const ScenarioObject object : kObjects)
    for (const std::string& key : keys_of(object))
      if (object <= ScenarioObject::phase && key != "$schema")
        CHECK_MESSAGE(readme.find("`" + key + "`") != std::string::npos, key);
}

TEST_CASE("the schema accepts what the parser accepts") {
  CHECK(schema_violation(schema(), with_comments(whole_scenario())) == "");
  CHECK(schema_violation(schema(), with_comments(small_scenario())) == "");
}

TEST_CASE("the schema refuses what it can express") {
  const auto violation = [](const char* from, const char* to) {
    return schema_violation(schema(), with_comments(replaced(whole_scenario(), from, to)));
  };
  CHECK(violation("\"limit\": 20", "\"limt\": 20") != "");
  CHECK(violation("\"limit\": 20", "\"limit\": 0") != "");
  CHECK(violation("\"30/1m\"", "\"30\"") != "");
  CHECK(violation("\"window\": \"60s\"", "\"window\": 60") != "");
  CHECK(violation("\"window\": \"60s\"", "\"window\": \"0s\"") != "");
  CHECK(violation("\"clock\": \"wall\"", "\"clock\": \"waII\"") != "");
  CHECK(violation("script_flush", "script_flsh") != "");
  CHECK(violation("\"1%\"", "\"1\"") != "");
  CHECK(violation("\"phases\"", "\"phase\"") != "");
}

TEST_CASE("every shipped scenario is valid for the schema") {
  int read = 0;
  for (const char* folder : {"holds", "breaks", "http"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kScenarios / folder)) {
      if (entry.path().extension() != ".json") continue;
      CAPTURE(entry.path().string());
      CHECK(schema_violation(schema(), with_comments(contents(entry.path()))) == "");
      ++read;
    }
  }
  CHECK(read > 20);
}
