// The results of a played scenario: whether it passed, and its JUnit and text.
#include <doctest/doctest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/utf8.h"
#include "report/documents.h"
#include "report/scenario_junit.h"
#include "report/scenario_text.h"
#include "result/codec.h"
#include "scenario/scenario_result.h"
#include "tools/contains.h"
#include "unit/scenario/scenario_fixture.h"

using namespace rlctl;
using test::contains;

namespace {

Scenario scenario_with(const std::string& from, const std::string& to) {
  const ParsedScenario result = parsed(replaced(small_scenario(), from, to));
  REQUIRE(result.scenario);
  return *result.scenario;
}

Scenario scenario_expecting(const char* verdict) {
  return scenario_with("\"holds\"", "\"" + std::string(verdict) + "\"");
}

// As the engine delivers it: one policy, one phase, one expectation.
ScenarioResult played(VerdictKind verdict, Held held = Held::held) {
  ScenarioResult result;
  result.policies.emplace_back();
  result.policies[0].verdict.verdict = verdict;
  result.policies[0].verdict.policy.verdict = verdict;
  result.policies[0].verdict.reason = "the reason";
  result.phases.emplace_back();
  result.phases[0].offered = 150;
  result.phases[0].ended_us = 1'500'000;
  result.expectations.push_back({0, held, "23"});
  return result;
}

ScenarioOutcome outcome(const Scenario& scenario, ScenarioResult result) {
  conclude(scenario, result);
  return result.outcome;
}

std::string junit_of(const Scenario& scenario, ScenarioResult result) {
  conclude(scenario, result);
  JunitReport report{"rlctl run", 0, {}};
  add_scenario(report, scenario, result);
  return report.text();
}

// Tags are closed in the order of their opening, and every character is valid in XML 1.0.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  std::size_t at = xml.find("?>") + 2;
  while ((at = xml.find('<', at)) != std::string::npos) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
    at = end;
  }
  for (const char c : xml)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n') return false;
  return open.empty() && is_utf8(xml) && xml.find("]]>") == std::string::npos;
}

}  // namespace

TEST_CASE("a scenario passes when the verdict is the expected one and every expectation holds") {
  const auto kinds = {VerdictKind::holds, VerdictKind::violated, VerdictKind::inconclusive};
  for (const VerdictKind found : kinds) {
    const bool inconclusive = found == VerdictKind::inconclusive;
    CHECK(outcome(scenario_expecting("holds"), played(found)) ==
          (found == VerdictKind::holds ? ScenarioOutcome::passed
           : inconclusive              ? ScenarioOutcome::inconclusive
                                       : ScenarioOutcome::failed));
    CHECK(outcome(scenario_expecting("violated"), played(found)) ==
          (found == VerdictKind::violated ? ScenarioOutcome::passed
           : inconclusive                 ? ScenarioOutcome::inconclusive
                                          : ScenarioOutcome::failed));
    CHECK(outcome(scenario_expecting("any"), played(found)) ==
          (inconclusive ? ScenarioOutcome::inconclusive : ScenarioOutcome::passed));
  }
  CHECK(outcome(scenario_expecting("inconclusive"), played(VerdictKind::inconclusive)) ==
        ScenarioOutcome::passed);
}

TEST_CASE("a broken expectation is a proof, one that can't be decided is not") {
  const Scenario scenario = scenario_expecting("holds");
  CHECK(outcome(scenario, played(VerdictKind::holds, Held::broken)) == ScenarioOutcome::failed);
  CHECK(outcome(scenario, played(VerdictKind::holds, Held::could_not_tell)) ==
        ScenarioOutcome::inconclusive);
  CHECK(outcome(scenario, played(VerdictKind::inconclusive, Held::broken)) ==
        ScenarioOutcome::failed);
}

TEST_CASE("with an expectation of its own, the own contract is judged separately") {
  const Scenario scenario =
      scenario_with("\"holds\",", "\"violated\", \"own_contract\": \"holds\",");
  ScenarioResult result = played(VerdictKind::violated);
  CHECK(outcome(scenario, result) == ScenarioOutcome::inconclusive);  // it has none
  result.policies[0].verdict.own.emplace();
  result.policies[0].verdict.own->verdict = VerdictKind::holds;
  CHECK(outcome(scenario, result) == ScenarioOutcome::passed);
  result.policies[0].verdict.own->verdict = VerdictKind::violated;
  CHECK(outcome(scenario, result) == ScenarioOutcome::failed);
}

TEST_CASE("a scenario that was not played to its end does not pass") {
  const Scenario scenario = scenario_expecting("holds");
  ScenarioResult stopped = played(VerdictKind::holds);
  stopped.interrupted = true;
  CHECK(outcome(scenario, stopped) == ScenarioOutcome::inconclusive);
  CHECK(exit_of(stopped) == Exit::interrupted);
  ScenarioResult down;
  down.problem = Error(Exit::target, "connection refused");
  CHECK(outcome(scenario, down) == ScenarioOutcome::could_not_run);
  conclude(scenario, down);
  CHECK(exit_of(down) == Exit::target);
}

TEST_CASE("of several scenarios the worst exit code counts") {
  CHECK(worse_of(Exit::done, Exit::done) == Exit::done);
  CHECK(worse_of(Exit::done, Exit::inconclusive) == Exit::inconclusive);
  CHECK(worse_of(Exit::inconclusive, Exit::target) == Exit::target);
  CHECK(worse_of(Exit::violated, Exit::target) == Exit::violated);
  CHECK(worse_of(Exit::violated, Exit::interrupted) == Exit::interrupted);
}

TEST_CASE("in JUnit a phase is a suite and an expectation a case") {
  const Scenario scenario = scenario_with("over_admitted == 0", "peak{phase=bot} <= 20");
  const std::string xml = junit_of(scenario, played(VerdictKind::holds));
  CHECK(is_well_formed(xml));
  CHECK(contains(xml, "<testsuites name=\"rlctl run\" tests=\"2\" failures=\"0\" errors=\"0\""));
  CHECK(contains(xml, "<testsuite name=\"test\" tests=\"1\""));
  CHECK(contains(xml, "<testsuite name=\"test.bot\" tests=\"1\""));
  CHECK(contains(xml, "time=\"1.500000\""));
  CHECK(
      contains(xml, "name=\"peak{phase=bot} &lt;= 20\" file=\"scenarios/test.json\" line=\"7\"/>"));
}

TEST_CASE("in JUnit a violation is a failure with its value, and other problems are errors") {
  const std::string broken =
      junit_of(scenario_expecting("holds"), played(VerdictKind::holds, Held::broken));
  CHECK(is_well_formed(broken));
  CHECK(contains(broken, "<failure type=\"violated\" message=\"measured 23\">"));
  CHECK(contains(broken, "scenarios/test.json:7:14: over_admitted == 0\n23</failure>"));
  const std::string unknown =
      junit_of(scenario_expecting("holds"), played(VerdictKind::inconclusive));
  CHECK(contains(unknown,
                 "<error type=\"inconclusive\" message=\"found inconclusive: the reason\">"));
  ScenarioResult down;
  down.problem = Error(Exit::target, "connection refused", "is it up?");
  const std::string error = junit_of(scenario_expecting("holds"), down);
  CHECK(is_well_formed(error));
  CHECK(contains(error, "<error type=\"could_not_run\" message=\"connection refused\">"));
  CHECK(contains(error, "errors=\"1\""));
}

TEST_CASE("JUnit is well-formed for any bytes") {
  std::string all = "]]>&lt;&#27;<![CDATA[\xEF\xBF\xBF\xEF\xBF\xBE";
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  Scenario scenario = scenario_expecting("holds");
  scenario.name = all;
  scenario.file = all;
  scenario.phases[0].name = all;
  scenario.expectations[0].text = all;
  scenario.expectations[0].why = all;
  ScenarioResult result = played(VerdictKind::violated, Held::broken);
  result.expectations[0].measured = escape_for_terminal(all);
  CHECK(is_well_formed(junit_of(scenario, result)));
  CHECK(!contains(xml_escape(all), "\n"));
  CHECK(contains(xml_escape("a\nb", true), "a\nb"));
  CHECK(xml_escape("\\x1b") == "\\x1b");
}

TEST_CASE("a limiter that admits nothing after a fault fails, even if its verdict holds") {
  Scenario scenario = scenario_expecting("holds");
  scenario.faults.emplace_back();
  ScenarioResult result = played(VerdictKind::holds);
  result.faults.emplace_back();
  CHECK(outcome(scenario, result) == ScenarioOutcome::passed);
  result.faults[0].figures.shut_us = 500'000;  // the run ended too soon
  CHECK(outcome(scenario, result) == ScenarioOutcome::inconclusive);
  result.faults[0].figures.shut_us = 4'000'000;
  conclude(scenario, result);
  CHECK(result.outcome == ScenarioOutcome::failed);
  CHECK(contains(result.sentence, "after script_flush, nothing was admitted again"));
}

TEST_CASE("a limiter that the next fault met too soon is alive if it admits after that one") {
  Scenario scenario = scenario_expecting("holds");
  scenario.faults.resize(2);
  ScenarioResult result = played(VerdictKind::holds);
  result.faults.resize(2);
  result.faults[1].fault = 1;
  result.faults[0].figures.shut_us = 500'000;
  CHECK(outcome(scenario, result) == ScenarioOutcome::inconclusive);
  result.faults[1].figures.admits_after_us = 700'000;
  CHECK(outcome(scenario, result) == ScenarioOutcome::passed);
  result.faults[0].figures.shut_us = 4'000'000;
  CHECK(outcome(scenario, result) == ScenarioOutcome::failed);
}

TEST_CASE("the text has one line per scenario, and more if it did not pass") {
  const Scenario holds = scenario_expecting("holds");
  ScenarioResult good = played(VerdictKind::holds);
  good.duration_us = 1'200'000;
  conclude(holds, good);
  CHECK(scenario_line(holds, good) ==
        "passed       test  (1.20 s) holds, as expected; 1 of 1 expectation held\n");
  CHECK(scenario_details(holds, good) == "");
  ScenarioResult bad = played(VerdictKind::violated, Held::broken);
  bad.command = "rlctl run scenarios/test.json --seed 5";
  conclude(holds, bad);
  CHECK(contains(scenario_line(holds, bad), "FAILED       test"));
  const std::string details = scenario_details(holds, bad);
  CHECK(contains(scenario_line(holds, bad), "expected holds, found violated: the reason"));
  CHECK(contains(details, "scenarios/test.json:7:14: over_admitted == 0\n    measured 23\n"));
  CHECK(contains(details, "next: rlctl run scenarios/test.json --seed 5 --log run.jsonl, then"));
}

TEST_CASE("the advice does not repeat what the user asked for already") {
  const Scenario holds = scenario_expecting("holds");
  ScenarioResult broken = played(VerdictKind::violated);
  conclude(holds, broken);
  CHECK(contains(scenario_details(holds, broken, {.logs = {"my log.jsonl"}, .verdict = false}),
                 "  next: rlctl report 'my log.jsonl' -o run.html\n"));
  const Scenario violated = scenario_expecting("violated");
  ScenarioResult sound = played(VerdictKind::holds);
  conclude(violated, sound);
  CHECK(contains(scenario_details(violated, sound), "expect \"holds\" in the scenario\n"));
  CHECK(contains(scenario_details(violated, sound, {.logs = {}, .verdict = true}),
                 "if the limiter is fixed, use --expect holds\n"));
}

TEST_CASE("the expectation that failed is the headline, not the violation that was expected") {
  const Scenario violated = scenario_expecting("violated");
  ScenarioResult result = played(VerdictKind::violated, Held::broken);
  conclude(violated, result);
  CHECK(contains(scenario_line(violated, result),
                 "over_admitted == 0: measured 23; 0 of 1 expectation held"));
  CHECK(contains(scenario_details(violated, result),
                 "  verdict: violated, as expected: the reason\n"));
  // A broken expectation is a proof: it comes before a verdict that could not be told.
  ScenarioResult unclear = played(VerdictKind::inconclusive, Held::broken);
  conclude(violated, unclear);
  CHECK(unclear.sentence == "over_admitted == 0: measured 23");
  CHECK(unclear.reasons[1] == "expected violated, found inconclusive: the reason");
}

TEST_CASE("figures from late traffic break no expectation, but a proof stays a proof") {
  const Scenario violated = scenario_expecting("violated");
  ScenarioResult late = played(VerdictKind::violated, Held::broken);
  late.too_late = true;
  conclude(violated, late);
  CHECK(late.outcome == ScenarioOutcome::inconclusive);
  CHECK(contains(scenario_details(violated, late), "sent late"));
  const Scenario holds = scenario_expecting("holds");
  ScenarioResult proof = played(VerdictKind::violated, Held::held);
  proof.too_late = true;
  conclude(holds, proof);
  CHECK(proof.outcome == ScenarioOutcome::failed);
}

TEST_CASE("the tally counts all outcomes") {
  ScenarioTally tally;
  const Scenario holds = scenario_expecting("holds");
  for (const VerdictKind kind : {VerdictKind::holds, VerdictKind::violated, VerdictKind::holds}) {
    ScenarioResult result = played(kind);
    result.duration_us = 1'000'000;
    conclude(holds, result);
    tally.add(result);
  }
  CHECK(tally_line(tally) == "3 scenarios in 3.00 s: 2 passed, 1 FAILED\n");
}

TEST_CASE("a plan shows the traffic without sending it") {
  const std::string text = scenario_plan_text(*parsed(whole_scenario()).scenario);
  CHECK(contains(text, "api-limiter (scenarios/test.json): wall clock, seed 42, expects holds"));
  CHECK(contains(text, "150"));
  CHECK(contains(text, "(expected 12,000)"));
  CHECK(contains(text, "16 consumers drain 500 items"));
  CHECK(contains(text, "humans (1,000) x 95, bot x 5"));
  CHECK(contains(text,
                 "  fault script_flush at mixed+10s\n"
                 "  fault redis_restart at mixed+20s, for 2s\n"
                 "  fault clock_skew at mixed+40s, by 1.5s\n"));
}

TEST_CASE("the JSON has the expected and the found values") {
  const Scenario scenario = scenario_expecting("violated");
  ScenarioResult result = played(VerdictKind::holds, Held::broken);
  conclude(scenario, result);
  const auto json = to_json(document_of(scenario, result));
  CHECK(json["outcome"] == "failed");
  CHECK(json["exit"] == 1);
  CHECK(json["expected"]["verdict"] == "violated");
  CHECK(json["found"]["verdict"] == "holds");
  CHECK(json["expectations"][0]["result"] == "broken");
  CHECK(json["expectations"][0]["line"] == 7);
  CHECK(json["phases"][0]["offered"] == 150);
  CHECK(json["policies"][0]["name"] == "api");
}
