#include "report/page/of_results.h"

#include <cctype>

#include "base/error.h"
#include "base/escape.h"

namespace rlctl {
namespace {

ResultFile parsed(std::string_view text, const std::string& name) {
  auto file = parse_result(text);
  if (!file)
    throw Error(Exit::usage, in_quotes(name) + " is not a complete JSON object",
                "rlctl may have been interrupted while writing it: create the file again");
  if (!file->document)
    throw Error(Exit::usage, in_quotes(name) + " has the schema " + in_quotes(file->schema.shown()),
                "report reads results of bench, run, verify and simulate");
  return std::move(*file);
}

}  // namespace

bool looks_like_result(std::string_view text) {
  const auto skip = [&](std::string_view expected) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
      text.remove_prefix(1);
    if (!text.starts_with(expected)) return false;
    text.remove_prefix(expected.size());
    return true;
  };
  return skip("{") && skip("\"schema\"") && skip(":") && skip("\"rlctl.");
}

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
