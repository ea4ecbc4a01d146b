#include "report/page/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"


namespace rlctl {
namespace {

struct JunitTally {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
};

// A run without checks gets one case for its verdict.
std::vector<ReportCheck> checks_of(const ReportRun& run) {
  if (!run.checks.empty()) return run.checks;
  return {{"verdict", run.mood, run.verdict + ": " + run.sentence}};
}

std::string case_of(const ReportRun& run, const ReportCheck& check) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_escape(run.name),
                                 xml_escape(check.name));
  if (check.mood == Mood::good || check.mood == Mood::neutral) return text + "/>\n";
  const bool failure = check.mood == Mood::bad;
  const std::string details =
      run.evidence ? check.message + "\n" + run.evidence->title : check.message;
  return text +
         fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n",
                     failure ? "failure" : "error", failure ? "violated" : "inconclusive",
                     xml_escape(check.message), xml_escape(details, true));
}

JunitTally tally_of(const ReportRun& run) {
  JunitTally tally;
  for (const ReportCheck& check : checks_of(run)) {
    ++tally.tests;
    tally.failures += check.mood == Mood::bad;
    tally.errors += check.mood == Mood::doubtful;
  }
  return tally;
}

std::string suite_of(const ReportRun& run) {
  const JunitTally tally = tally_of(run);
  std::string text = fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\">\n",
      xml_escape(run.name), tally.tests, tally.failures, tally.errors);
  if (!run.figures.empty()) {
    text += "    <properties>\n";
    for (const NamedFigure& figure : run.figures)
      text += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml_escape(figure.name),
                          xml_escape(figure.value));
    text += "    </properties>\n";
  }
  for (const ReportCheck& check : checks_of(run)) text += case_of(run, check);
  return text + "  </testsuite>\n";
}

}  // namespace

std::string report_junit(const Report& report) {
  JunitTally all;
  std::string suites;
  for (const ReportRun& run : report.runs) {
    const JunitTally tally = tally_of(run);
    all.tests += tally.tests;
    all.failures += tally.failures;
    all.errors += tally.errors;
    suites += suite_of(run);
  }
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rlctl report\" "
             "tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
             all.tests, all.failures, all.errors) +
         suites + "</testsuites>\n";
}

}  // namespace rlctl
