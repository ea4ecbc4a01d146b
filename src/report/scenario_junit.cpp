#include "report/scenario_junit.h"

#include <fmt/format.h>

#include "base/escape.h"
#include "base/words.h"
#include "report/scenario_text.h"

namespace rlctl {
namespace {

std::string seconds(std::int64_t us) {
  return fmt::format("{}.{:06d}", us / 1'000'000, us % 1'000'000);
}

}  // namespace

void JunitReport::add_case(Suite& suite, const Case& one) {
  ++suite.tests;
  std::string head = fmt::format("    <testcase classname=\"{}\" name=\"{}\" file=\"{}\"",
                                 xml_escape(one.suite), xml_escape(one.name), suite.file);
  if (one.place.line > 0) head += fmt::format(" line=\"{}\"", one.place.line);
  suite.cases += head;
  if (one.held == Held::held) {
    suite.cases += "/>\n";
    return;
  }
  const bool failure = one.held == Held::broken;
  ++(failure ? suite.failures : suite.errors);
  const char* element = failure ? "failure" : "error";
  suite.cases +=
      fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n",
                  element, failure ? "violated" : one.error_type, xml_escape(one.message),
                  xml_escape(one.details, true));
}

void JunitReport::add_property(Suite& suite, const char* name, const std::string& value) {
  suite.properties +=
      fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml_escape(value));
}

void JunitReport::finish(const Suite& suite) {
  suites_ += fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" "
      "time=\"{}\">\n",
      xml_escape(suite.name), suite.tests, suite.failures, suite.errors,
      seconds(suite.duration_us));
  if (!suite.properties.empty())
    suites_ += "    <properties>\n" + suite.properties + "    </properties>\n";
  suites_ += suite.cases + "  </testsuite>\n";
  tests_ += suite.tests;
  failures_ += suite.failures;
  errors_ += suite.errors;
}

// Adds the expectations on this phase, or (-1) those on the whole scenario.
void JunitReport::add_expectations(Suite& suite, const Scenario& scenario,
                                   const ScenarioResult& result, std::int64_t phase) const {
  for (const ExpectationResult& one : result.expectations) {
    const Expectation& expectation = scenario.expectations[one.expectation];
    const auto& selected = expectation.selection.phase;
    if ((selected ? std::int64_t{*selected} : -1) != phase) continue;
    const std::string place = place_in_words(scenario, expectation.place);
    std::string details = place + ": " + expectation.text + "\n" + one.measured;
    if (!expectation.why.empty()) details += "\n" + expectation.why;
    const bool broken = one.held == Held::broken;
    const std::string message = (broken ? "measured " : "could not tell: ") + one.measured;
    add_case(suite, {suite.name, expectation.text, expectation.place, one.held, message, details});
  }
}

void JunitReport::add(const Scenario& scenario, const ScenarioResult& result) {
  duration_us_ += result.duration_us;
  Suite whole;
  whole.name = scenario.name;
  whole.file = xml_escape(scenario.file);
  whole.duration_us = result.duration_us;
  add_property(whole, "seed", std::to_string(result.seed));
  add_property(whole, "clock", name_of(scenario.clock));
  if (result.problem || result.policies.empty()) {
    const std::string what =
        result.problem ? result.problem->what() : "the scenario was not played";
    const std::string hint = result.problem ? result.problem->hint() : "";
    add_case(
        whole,
        {whole.name, "run", {}, Held::could_not_tell, what, what + "\n" + hint, "could_not_run"});
  } else {
    const VerdictFound found = verdict_found(scenario, result);
    const char* expected = scenario.verdict ? name_of(*scenario.verdict) : "any";
    const std::string message = fmt::format("found {}: {}", name_of(found.verdict), found.reason);
    add_case(whole, {whole.name,
                     fmt::format("verdict: {}", expected),
                     {},
                     verdict_held(scenario, found),
                     message,
                     scenario.file + "\n" + message + "\n" + scenario_evidence(result)});
  }
  add_expectations(whole, scenario, result, -1);
  finish(whole);
  for (const PhaseResult& phase : result.phases) {
    Suite suite;
    suite.name = scenario.name + "." + scenario.phases[phase.phase].name;
    suite.file = whole.file;
    suite.duration_us = phase.ended_us - phase.started_us;
    add_property(suite, "offered", std::to_string(phase.offered));
    add_property(suite, "allowed", std::to_string(phase.allowed));
    add_property(suite, "denied", std::to_string(phase.denied));
    add_property(suite, "unknown", std::to_string(phase.unknown));
    add_property(suite, "failed", std::to_string(phase.failed));
    add_expectations(suite, scenario, result, phase.phase);
    finish(suite);
  }
}

std::string JunitReport::text() const {
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rlctl run\" "
             "tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{}\">\n",
             tests_, failures_, errors_, seconds(duration_us_)) +
         suites_ + "</testsuites>\n";
}

}  // namespace rlctl
