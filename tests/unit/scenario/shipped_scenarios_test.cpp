// The files of scenarios/: each can be read, and together they cover every limiter.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "limiter/registry.h"
#include "unit/scenario/scenario_fixture.h"

using namespace rlctl;
namespace fs = std::filesystem;

namespace {

std::vector<Scenario> scenarios_in(const char* folder) {
  std::vector<Scenario> scenarios;
  for (const auto& entry :
       fs::directory_iterator(fs::path(RLCTL_UNIT_DIR "/../../scenarios") / folder)) {
    const std::string file = entry.path().string();
    CAPTURE(file);
    std::ifstream stream(file, std::ios::binary);
    FilesInMemory files;
    const ParsedScenario parsed =
        parse_scenario(file, {std::istreambuf_iterator<char>(stream), {}}, files);
    CHECK(parsed.mistakes == "");
    REQUIRE(parsed.scenario);
    scenarios.push_back(*parsed.scenario);
  }
  REQUIRE(scenarios.size() > 10);
  return scenarios;
}

std::set<std::string> algorithms_of(const std::vector<Scenario>& scenarios) {
  std::set<std::string> algorithms;
  for (const Scenario& scenario : scenarios)
    for (const PolicySpec& policy : scenario.policies) algorithms.insert(policy.algorithm);
  return algorithms;
}

}  // namespace

TEST_CASE("every shipped scenario can be read and has a description") {
  std::set<std::string> names;
  for (const char* folder : {"breaks", "holds"}) {
    const std::vector<Scenario> scenarios = scenarios_in(folder);
    for (const Scenario& scenario : scenarios) {
      CAPTURE(scenario.file);
      CHECK(scenario.name == fs::path(scenario.file).stem());
      CHECK(names.insert(scenario.name).second);  // --scenario and reports identify it by its name
      CHECK(scenario.description.size() > 20);
      CHECK_FALSE(scenario.expectations.empty());
    }
  }
  CHECK(names.size() > 20);
}

TEST_CASE("only scenarios of breaks/ expect a violation, and they give the reason") {
  const std::vector<Scenario> broken = scenarios_in("breaks");
  const std::vector<Scenario> held = scenarios_in("holds");
  CHECK(broken.size() + held.size() > 40);
  for (const Scenario& scenario : broken) {
    CAPTURE(scenario.file);
    CHECK(scenario.verdict == VerdictKind::violated);
    CHECK(std::ranges::any_of(scenario.expectations,
                              [](const Expectation& one) { return !one.why.empty(); }));
  }
  for (const Scenario& scenario : held) {
    CAPTURE(scenario.file);
    CHECK(scenario.verdict != VerdictKind::violated);
    CHECK(scenario.own_contract != VerdictKind::violated);
  }
}

TEST_CASE("every specimen is in a scenario, and every sound algorithm in one of holds/") {
  const Registry registry;
  const std::set<std::string> held = algorithms_of(scenarios_in("holds"));
  const std::set<std::string> broken = algorithms_of(scenarios_in("breaks"));
  REQUIRE(registry.sound_names().size() > 5);
  REQUIRE(registry.specimen_names().size() > 5);
  for (const std::string& name : registry.sound_names()) {
    CAPTURE(name);
    CHECK(held.contains(name));
  }
  for (const std::string& name : registry.specimen_names()) {
    CAPTURE(name);
    CHECK((held.contains(name) || broken.contains(name)));
  }
}
