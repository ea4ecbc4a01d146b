// What `compare` and `bench --baseline` share: the conditions on the command
// line, results read from files, and what they come to as an exit code.
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
  // Error(Exit::usage) for a condition that can't be read.
  CompareOptions options() const;

 private:
  std::vector<std::string> fail_if_;
  bool raw_ = false;
  bool all_ = false;
};

// A result (the --json of bench, run, simulate or verify; "-" is standard
// input) or a log, packed or not. Error(Exit::usage): not there, not readable,
// neither.
MeasuredRun read_measured_run(const std::string& path);

// 1 where a condition is met, else 4 where one could not be decided, else 0.
Exit exit_of(std::span<const RunComparison> comparisons);

}  // namespace rlctl
