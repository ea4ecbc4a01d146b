// --wait: admissions that replicas must confirm: options -> ReplicaWait.
#pragma once

#include <string>

#include "cli/options/options.h"
#include "policy/target.h"

namespace rlctl {

class WaitOptions {
 public:
  void add_to(Options& app);

  // Error(Exit::usage).
  ReplicaWait wait() const;

 private:
  std::string replicas_;
  std::string timeout_;
};

}  // namespace rlctl
