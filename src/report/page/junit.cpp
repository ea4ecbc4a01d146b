#include "report/page/junit.h"

#include "report/junit.h"

namespace rlctl {
namespace {

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
  // A run without checks gets one case for its verdict.
  if (run.checks.empty()) add("verdict", run.mood, run.verdict + ": " + run.sentence);
  return suite;
}

}  // namespace

std::string report_junit(const Report& report) {
  JunitReport junit{"rlctl report", std::nullopt, {}};
  for (const ReportRun& run : report.runs) junit.suites.push_back(suite_of(run));
  return junit.text();
}

}  // namespace rlctl
