// --fault and --allow-faults: what goes wrong on purpose, and on whose Redis.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"
#include "scenario/scenario.h"

namespace rlctl {

class FaultOptions {
 public:
  // For a verb without a scenario file.
  void add_fault_to(Options& app);
  void add_to(Options& app);

  bool given() const { return !faults_.empty(); }
  bool allowed() const { return allowed_; }
  // Adds the faults to a scenario with a target, a clock and phases. What goes wrong leaves
  // requests without a decision; that is what such a run shows, so it is not a reason to doubt it.
  // Error(Exit::usage).
  void apply_to(Scenario& scenario) const;

 private:
  std::vector<std::string> faults_;
  bool allowed_ = false;
};

}  // namespace rlctl
