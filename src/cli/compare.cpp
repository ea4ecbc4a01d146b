// rlctl compare: tests whether a new run differs from a base by more than chance.
#include <algorithm>

#include "base/escape.h"
#include "cli/options/compare_options.h"
#include "cli/output/document.h"
#include "cli/verb.h"
#include "report/compare_text.h"
#include "report/documents.h"

namespace rlctl {
namespace {

struct CompareFiles {
  CompareChoices choices;
  std::vector<std::string> runs;
  bool json = false;
};

void print_text(const std::vector<RunComparison>& comparisons, const CompareOptions& options) {
  std::string text;
  for (const RunComparison& comparison : comparisons)
    text +=
        (text.empty() ? "" : "\n") + compare_text(comparison, options.conditions, columns_or(0));
  print(fitted(text));
}

void print_comparisons(const std::vector<RunComparison>& comparisons,
                       const CompareOptions& options) {
  CompareDocument document;
  document.exit = static_cast<int>(exit_of(comparisons));
  for (const RunComparison& comparison : comparisons)
    document.comparisons.push_back(document_of(comparison, options.conditions));
  print_document(std::move(document));
}

Exit run_compare(const CompareFiles& files) {
  const CompareOptions options = files.choices.options();
  if (files.runs.size() < 2)
    throw Error(Exit::usage, "compare needs a base and a new run",
                "for example: rlctl compare base.json new.json");
  if (std::count(files.runs.begin(), files.runs.end(), "-") > 1)
    throw Error(Exit::usage, "standard input can be read only once", "name files instead");
  const MeasuredRun base = read_measured_run(files.runs.front());
  std::vector<RunComparison> comparisons;
  for (std::size_t i = 1; i < files.runs.size(); ++i)
    comparisons.push_back(compare_runs(base, read_measured_run(files.runs[i]), options));
  if (files.json)
    print_comparisons(comparisons, options);
  else
    print_text(comparisons, options);
  return exit_of(comparisons);
}

Action add_compare_options(Options& app) {
  auto files = std::make_shared<CompareFiles>();
  app.add_option("runs", files->runs,
                 "the base, then the runs to compare with it: logs, or the --json output of bench, "
                 "run, simulate or verify")
      .required()
      .type_name("BASE NEW...");
  files->choices.add_to(app);
  app.add_flag("--json", files->json, "print one JSON object");
  return [files] { return run_compare(*files); };
}

}  // namespace

const Verb kCompareVerb{
    "compare", "Tests if a new run differs from a base by more than chance; exit 1: --fail-if met.",
    "  rlctl compare base.json new.json\n"
    "  rlctl compare base.json new.json --fail-if 'p99 > +10%'\n"
    "  rlctl compare base.json new.json --fail-if 'accuracy{algo=sliding} < 100%'",
    add_compare_options};

}  // namespace rlctl
