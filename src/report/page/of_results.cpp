#include "report/page/of_results.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"

namespace rlctl {
namespace {

ResultFile parsed(std::string_view text, const std::string& name) {
  auto file = parse_result(text);
  if (!file) refuse_incomplete_result(name);
  if (!file->document)
    throw Error(Exit::usage, in_quotes(name) + " has the schema " + in_quotes(file->schema.shown()),
                "report reads results of bench, run, verify and simulate");
  return std::move(*file);
}

// An empty page would look like one on which nothing is wrong.
void refuse_empty(const Report& report, const ResultFile& file, const std::string& name) {
  const auto says_something = [](const ReportRun& run) { return !run.verdict.empty(); };
  if (std::ranges::any_of(report.runs, says_something)) return;
  const std::string schema = file.schema.shown();  // rlctl.VERB/1
  const std::size_t verb = schema.find('.') + 1;
  throw Error(
      Exit::usage, in_quotes(name) + " has no result",
      "let rlctl " + schema.substr(verb, schema.find('/') - verb) + " --json run to its end");
}

}  // namespace

Report report_of_result(std::string_view text, const std::string& name) {
  const ResultFile file = parsed(text, name);
  Report report =
      std::visit([](const auto& document) { return report_of(document); }, *file.document);
  refuse_empty(report, file, name);
  const Text version =
      std::visit([](const auto& document) { return document.version; }, *file.document);
  report.facts.insert(report.facts.begin(), {"Result", escape_for_terminal(name)});
  if (!version.empty()) report.facts.push_back({"Played by", "rlctl " + version.shown()});
  add_headline(report);
  return report;
}

}  // namespace rlctl
