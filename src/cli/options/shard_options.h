// --shard and --start-at: several machines play one run together and begin at the same time.
// --threads: several threads of one machine do.
#pragma once

#include <cstdint>
#include <string>

#include "cli/options/options.h"
#include "scenario/scenario.h"

namespace rlctl {

class ShardOptions {
 public:
  void add_to(Options& app);

  bool given() const { return !shard_.empty() || !start_at_.empty(); }
  // Checks the options and sets them in the scenario. `keeps_log`: whether a log is written,
  // without which a part could not be judged. Error(Exit::usage).
  void apply_to(Scenario& scenario, bool keeps_log) const;

 private:
  std::string shard_;
  std::string start_at_;
};

void add_threads_option(Options& app, std::string& threads);
std::int64_t threads_of(const std::string& threads);

// The name of the run: new each time, but the same for all parts of one run.
std::string run_id_of(const Scenario& scenario);

}  // namespace rlctl
