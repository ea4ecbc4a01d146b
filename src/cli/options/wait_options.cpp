#include "cli/options/wait_options.h"

#include "base/error.h"
#include "base/units.h"

namespace rlctl {

void WaitOptions::add_to(Options& app) {
  app.add_option("--wait", replicas_,
                 "count an admission only if N replicas confirm it (WAIT); otherwise it is unknown")
      .type_name("N");
  app.add_option("--wait-timeout", timeout_, "time for the replicas to confirm [100ms]")
      .type_name("DURATION");
}

ReplicaWait WaitOptions::wait() const {
  if (replicas_.empty() && !timeout_.empty())
    throw Error(Exit::usage, "--wait-timeout: nobody waits", "add --wait 1");
  ReplicaWait wait;
  if (!replicas_.empty()) wait.replicas = parse_count(replicas_, "--wait");
  if (!timeout_.empty()) wait.timeout_us = parse_positive_duration_us(timeout_, "--wait-timeout");
  return wait;
}

}  // namespace rlctl
