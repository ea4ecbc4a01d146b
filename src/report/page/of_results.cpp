#include "report/page/of_results.h"

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

}  // namespace

Report report_of_result(std::string_view text, const std::string& name) {
  const ResultFile file = parsed(text, name);
  Report report =
      std::visit([](const auto& document) { return report_of(document); }, *file.document);
  const Text version =
      std::visit([](const auto& document) { return document.version; }, *file.document);
  report.facts.insert(report.facts.begin(), {"Result", escape_for_terminal(name)});
  if (!version.empty()) report.facts.push_back({"Played by", "rlctl " + version.shown()});
  add_headline(report);
  return report;
}

}  // namespace rlctl
