// Shared by `compare` and `bench --baseline`: the conditions on the command line, the results read
// from files, and the exit code of a comparison.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/options/options.h"
#include "compare/measured_run.h"
#include "compare/run_comparison.h"

namespace rlctl {

class CompareChoices {
 public:
  void add_to(Options& app);
  void add_conditions_to(Options& app);  // --fail-if alone
  bool any_condition() const { return !fail_if_.empty(); }
  // Error(Exit::usage) for a condition that can't be parsed.
  CompareOptions options() const;

 private:
  std::vector<std::string> fail_if_;
  bool raw_ = false;
  bool all_ = false;
};

// Reads a result (the --json output of bench, run, simulate or verify; "-" is standard input) or a
// log, compressed or not. Error(Exit::usage) if the file is missing, can't be read, or is neither.
MeasuredRun read_measured_run(const std::string& path);

// 1 if a condition is met, otherwise 4 if one could not be decided, otherwise 0.
Exit exit_of(std::span<const RunComparison> comparisons);

}  // namespace rlctl
