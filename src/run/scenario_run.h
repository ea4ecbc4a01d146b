// run_scenario: plays a scenario from its first phase to its last verdict, on one thread or on
// several (run/scenario_play.h).
//
// Failures of the target, and a policy that can't be played, are reported in the result
// (`problem`). Runs the loop until the scenario is done, and other loops beside it on threads of
// their own, if the plan has several: nothing on the way of a request is shared among them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "arrivals/traffic.h"
#include "io/http/http_client.h"
#include "io/loop.h"
#include "io/redis/deployment/embedded_redis.h"
#include "io/redis/endpoint.h"
#include "limiter/registry.h"
#include "log/log_file.h"
#include "scenario/scenario_result.h"

namespace rlctl {

struct ScenarioProgress {
  std::string phase;
  std::int64_t phases_done = 0;
  std::int64_t phases = 0;
  std::int64_t decisions = 0;
  std::int64_t played_us = 0;   // of the plan
  std::int64_t planned_us = 0;  // 0 if the length depends on the answers
  // What the run waits for after its planned end, or, if there is none, while nothing is decided.
  WaitingRetries waiting;
};

struct ScenarioPlan {
  const Registry* registry = nullptr;
  std::optional<Endpoint> redis;  // for targets of kind redis
  HttpSettings transport;         // for targets of kind http: TLS and proxy
  EmbeddedSpec embedded;          // the private Redis of those that need one
  std::string run_id;
  std::string command;           // the command line that repeats the run, for the logs
  std::string version;           // of rlctl, for the logs
  LogWriter* log = nullptr;      // gets the records while the run goes on; may be null
  bool names_histories = false;  // "SCENARIO/POLICY": one file gets the logs of several scenarios
  // Traffic that this machine sent too late is not evidence. If the run is inconclusive for that
  // reason alone, it is repeated, up to this many attempts in all. A verdict is never a reason to
  // repeat, so repeating cannot select one.
  std::int64_t attempts = 3;
  // Each plays its part of the plan, as machines do (check_threads).
  std::int64_t threads = 1;
};

// Error(Exit::usage) if a fault needs a private cluster, or replicas, and there are none, or if two
// faults exclude each other. Before anything is sent.
void check_faults_fit(const Scenario& scenario, const std::optional<ClusterSize>& cluster);

ScenarioResult run_scenario(Loop& loop, const Scenario& scenario, const ScenarioPlan& plan,
                            ScenarioProgress& progress);

}  // namespace rlctl
