#include "report/page/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "report/page/formats.h"

namespace rlctl {
namespace {

std::ptrdiff_t count_of(const JunitSuite& suite, JunitOutcome outcome) {
  return std::ranges::count(suite.cases, outcome, &JunitCase::outcome);
}

std::string time_attribute(std::optional<std::int64_t> us) {
  return us ? fmt::format(" time=\"{}.{:06d}\"", *us / 1'000'000, *us % 1'000'000) : "";
}

std::string case_xml(const JunitSuite& suite, const JunitCase& one) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\"",
                                 xml_escape(suite.name), xml_escape(one.name));
  if (!one.file.empty()) text += fmt::format(" file=\"{}\"", xml_escape(one.file));
  if (one.line > 0) text += fmt::format(" line=\"{}\"", one.line);
  if (one.outcome == JunitOutcome::passed) return text + "/>\n";
  const bool failure = one.outcome == JunitOutcome::failure;
  return text +
         fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n",
                     failure ? "failure" : "error", failure ? "violated" : one.error_type,
                     xml_escape(one.message), xml_escape(one.details, true));
}

std::string suite_xml(const JunitSuite& suite) {
  std::string text = fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\"{}>\n",
      xml_escape(suite.name), suite.cases.size(), count_of(suite, JunitOutcome::failure),
      count_of(suite, JunitOutcome::error), time_attribute(suite.duration_us));
  if (!suite.properties.empty()) {
    text += "    <properties>\n";
    for (const auto& [name, value] : suite.properties)
      text += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml_escape(name),
                          xml_escape(value));
    text += "    </properties>\n";
  }
  for (const JunitCase& one : suite.cases) text += case_xml(suite, one);
  return text + "  </testsuite>\n";
}

JunitOutcome outcome_of(Mood mood) {
  if (mood == Mood::bad) return JunitOutcome::failure;
  return mood == Mood::doubtful ? JunitOutcome::error : JunitOutcome::passed;
}

JunitSuite suite_of(const ReportRun& run) {
  JunitSuite suite;
  suite.name = run.name;
  for (const NamedFigure& figure : run.figures)
    suite.properties.emplace_back(figure.name, figure.value);
  const auto add = [&](const std::string& name, Mood mood, const std::string& message) {
    const std::string evidence = run.evidence ? "\n" + run.evidence->title : "";
    suite.cases.push_back({name, outcome_of(mood), message, message + evidence});
  };
  for (const ReportCheck& check : run.checks) add(check.name, check.mood, check.message);
  // A run without checks gets one case for its verdict. One that has none has not passed.
  if (run.checks.empty() && run.verdict.empty())
    add("verdict", Mood::doubtful, "there is no verdict");
  else if (run.checks.empty())
    add("verdict", run.mood, run.verdict + ": " + run.sentence);
  return suite;
}

}  // namespace

std::string JunitReport::text() const {
  std::string all;
  std::size_t tests = 0;
  std::ptrdiff_t failures = 0;
  std::ptrdiff_t errors = 0;
  for (const JunitSuite& suite : suites) {
    tests += suite.cases.size();
    failures += count_of(suite, JunitOutcome::failure);
    errors += count_of(suite, JunitOutcome::error);
    all += suite_xml(suite);
  }
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" tests=\"{}\" "
             "failures=\"{}\" errors=\"{}\"{}>\n",
             xml_escape(name), tests, failures, errors, time_attribute(duration_us)) +
         all + "</testsuites>\n";
}

std::string report_junit(const Report& report) {
  JunitReport junit{"rlctl report", std::nullopt, {}};
  for (const ReportRun& run : report.runs) junit.suites.push_back(suite_of(run));
  return junit.text();
}

}  // namespace rlctl
