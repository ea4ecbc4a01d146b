#include "cli/options/compare_options.h"

#include <algorithm>
#include <filesystem>

#include "base/escape.h"
#include "compare/measured_log.h"
#include "compare/measured_result.h"
#include "io/byte_source.h"
#include "log/log_reader.h"

namespace rlctl {
namespace {

constexpr std::size_t kLongestResultBytes = std::size_t{256} << 20U;
constexpr std::size_t kLongestFirstLineBytes = std::size_t{1} << 20U;

std::string whole_file(const std::string& path) {
  ByteSource source(path);
  std::string text;
  for (auto bytes = source.read(); !bytes.empty(); bytes = source.read()) {
    text += bytes;
    if (text.size() > kLongestResultBytes)
      throw Error(Exit::usage, in_quotes(path) + " is too long for a result of rlctl");
  }
  return text;
}

// A log can be longer than memory holds twice, so the first line decides: JSON
// Lines are one object each, and results (of which some were printed over many
// lines) have a schema.
bool may_be_result(const std::string& path) {
  ByteSource source(path);
  std::string text;
  while (text.find('\n') == text.npos && text.size() < kLongestFirstLineBytes) {
    const auto bytes = source.read();
    if (bytes.empty()) return true;  // one line in all
    text += bytes;
  }
  if (!text.starts_with('{')) return false;
  const std::string line = text.substr(0, text.find('\n'));
  return !line.ends_with('}') || line.find("\"schema\"") != line.npos;
}

}  // namespace

void CompareChoices::add_conditions_to(Options& app) {
  app.add_option("--fail-if", fail_if_,
                 "exit 1 where this is so, several times: 'p99 > +10%' is a "
                 "change that must be "
                 "significant, 'accuracy < 100%' a fact of the new run")
      .type_name("CONDITION")
      .one_at_a_time();
}

void CompareChoices::add_to(Options& app) {
  add_conditions_to(app);
  app.add_flag("--raw", raw_, "figures as they are, not in units of each round's yardstick");
  app.add_flag("--all", all_, "every metric, not only the main ones");
}

CompareOptions CompareChoices::options() const {
  CompareOptions options;
  options.raw = raw_;
  options.all = all_;
  for (const std::string& text : fail_if_) options.conditions.push_back(parse_fail_condition(text));
  return options;
}

MeasuredRun read_measured_run(const std::string& path) {
  // What can be read once only is read whole.
  if (std::error_code error; path == "-" || std::filesystem::is_fifo(path, error)) {
    if (auto run = read_result(whole_file(path), path)) return std::move(*run);
    throw Error(Exit::usage,
                (path == "-" ? "standard input" : in_quotes(path)) + " is no result of rlctl",
                "pipe in the --json of bench, run, simulate or verify; a log is to be a file");
  }
  if (may_be_result(path))
    if (auto run = read_result(whole_file(path), path)) return std::move(*run);
  return measured_logs(read_logs({&path, 1}, {}), path);
}

Exit exit_of(std::span<const RunComparison> comparisons) {
  Exit exit = Exit::done;
  for (const RunComparison& comparison : comparisons)
    for (const JudgedCondition& judged : comparison.conditions) {
      if (judged.held == ConditionHeld::fails) return Exit::violated;
      if (judged.held == ConditionHeld::undecided) exit = Exit::inconclusive;
    }
  return exit;
}

}  // namespace rlctl
