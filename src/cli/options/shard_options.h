// --shard and --start-at: several machines that play one run together, from one time on.
#pragma once

#include <string>

#include "cli/options/options.h"
#include "scenario/scenario.h"

namespace rlctl {

class ShardOptions {
 public:
  void add_to(Options& app);

  bool given() const { return !shard_.empty() || !start_at_.empty(); }
  // Into the scenario, checked. `keeps_log`: whether anything is left to judge. Error(Exit::usage).
  void apply_to(Scenario& scenario, bool keeps_log) const;

 private:
  std::string shard_;
  std::string start_at_;
};

// The run's name: another each time, but the same for all parts of one.
std::string run_id_of(const Scenario& scenario);

}  // namespace rlctl
