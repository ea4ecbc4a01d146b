#include "report/page/of_results.h"

#include <cctype>

#include "base/error.h"
#include "base/escape.h"

namespace rlctl {
namespace {

constexpr std::size_t kDeepest = 64;

// nlohmann's parser handles any depth, but its destructor is recursive.
ResultJson parsed(std::string_view text, const std::string& name) {
  const auto shallow = [](int depth, ResultJson::parse_event_t, ResultJson&) {
    return depth < static_cast<int>(kDeepest);
  };
  ResultJson json = ResultJson::parse(text, shallow, false);
  if (!json.is_object())
    throw Error(Exit::usage, in_quotes(name) + " is not a complete JSON object",
                "rlctl may have been interrupted while writing it: create the file again");
  return json;
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
  const ResultJson json = parsed(text, name);
  const std::string schema = text_of(json, "schema");
  Report report;
  if (schema == "rlctl.bench/1")
    report = report_of_bench(json);
  else if (schema == "rlctl.run/1")
    report = report_of_run(json);
  else if (schema == "rlctl.verify/1" || schema == "rlctl.simulate/1")
    report = report_of_verify(json);
  else
    throw Error(Exit::usage, in_quotes(name) + " has the schema " + in_quotes(schema),
                "report reads results of bench, run, verify and simulate");
  const std::string version = text_of(json, "version");
  report.facts.insert(report.facts.begin(), {"Result", escape_for_terminal(name)});
  if (!version.empty()) report.facts.push_back({"Played by", "rlctl " + version});
  add_headline(report);
  return report;
}

}  // namespace rlctl
