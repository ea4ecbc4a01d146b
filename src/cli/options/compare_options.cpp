#include "cli/options/compare_options.h"

#include <algorithm>
#include <filesystem>

#include "base/escape.h"
#include "compare/measured_log.h"
#include "compare/measured_result.h"
#include "io/byte_source.h"
#include "log/log_file.h"

namespace rlctl {
namespace {

constexpr std::size_t kLongestFirstLineBytes = std::size_t{1} << 20U;

// Decides by the first line, because a log can be too large to hold in memory twice. A line of JSON
// Lines is one object without a schema; a result has a schema, or begins an object that goes on
// over several lines.
bool may_be_result(const std::string& path) {
  ByteSource source(path);
  std::string text;
  while (text.find('\n') == text.npos && text.size() < kLongestFirstLineBytes) {
    const auto bytes = source.read();
    if (bytes.empty()) return true;  // the file has only one line
    text += bytes;
  }
  if (!text.starts_with('{')) return false;
  const std::string line = text.substr(0, text.find('\n'));
  return !line.ends_with('}') || line.find("\"schema\"") != line.npos;
}

}  // namespace

void CompareChoices::add_conditions_to(Options& app) {
  app.add_option("--fail-if", fail_if_,
                 "exit 1 if this is met; may be repeated: 'p99 > +10%' needs a significant change, "
                 "'accuracy < 100%' looks at the new run alone")
      .type_name("CONDITION")
      .one_at_a_time();
}

void CompareChoices::add_to(Options& app) {
  add_conditions_to(app);
  app.add_flag("--raw", raw_, "compare plain figures, not in units of each round's yardstick");
  app.add_flag("--all", all_, "show every metric, not only the main ones");
}

CompareOptions CompareChoices::options() const {
  CompareOptions options;
  options.raw = raw_;
  options.all = all_;
  for (const std::string& text : fail_if_) options.conditions.push_back(parse_fail_condition(text));
  return options;
}

MeasuredRun read_measured_run(const std::string& path) {
  // Standard input and pipes can be read only once, so they are read whole.
  if (std::error_code error; path == "-" || std::filesystem::is_fifo(path, error)) {
    if (auto run = read_result(whole_file(path), path)) return std::move(*run);
    throw Error(
        Exit::usage,
        (path == "-" ? "standard input" : in_quotes(path)) + " is not a result of rlctl",
        "pipe in the --json output of bench, run, simulate or verify; a log must be a file");
  }
  if (may_be_result(path))
    if (auto run = read_result(whole_file(path), path)) return std::move(*run);
  return measured_logs(read_logs({&path, 1}, without_log_options()), path);
}

Exit exit_of(std::span<const RunComparison> comparisons) {
  Exit exit = Exit::done;
  for (const RunComparison& comparison : comparisons)
    for (const JudgedCondition& judged : comparison.conditions)
      exit = worse_of(exit, row_of(judged.held).exit);
  return exit;
}

}  // namespace rlctl
