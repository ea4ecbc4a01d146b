// ScenarioRun: a scenario from its first phase to its last verdict. Starts what the target needs,
// plays the phases in their order (or where `start` puts them), judges every policy's log and asks
// the expectations.
//
// What the target does, and a policy that can't be played, ends up in the result (`problem`). One
// thread; runs the loop until it is done.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/scenario_result.h"
#include "io/endpoint.h"
#include "io/http_client.h"
#include "io/loop.h"
#include "limiter/registry.h"

namespace rlctl {

struct ScenarioProgress {
  std::string phase;
  std::int64_t phases_done = 0;
  std::int64_t phases = 0;
  std::int64_t decisions = 0;
  std::int64_t played_us = 0;   // of the plan
  std::int64_t planned_us = 0;  // 0: the answers decide
};

struct ScenarioPlan {
  const Registry* registry = nullptr;
  std::optional<Endpoint> redis;  // for targets of kind redis
  HttpSettings transport;         // for targets of kind http: TLS and proxy
  std::string redis_server;       // which program to embed; empty: the one on PATH
  std::string run_id;
  std::string command;  // that plays it again, for the logs
  std::string version;  // of rlctl, likewise
  // Traffic that this machine was too busy to send on time is no evidence, whatever came of it: it
  // is played again, up to so often in all. That alone is the reason, so no verdict is picked.
  std::int64_t attempts = 3;
};

ScenarioResult run_scenario(Loop& loop, const Scenario& scenario, const ScenarioPlan& plan,
                            ScenarioProgress& progress);

}  // namespace rlctl
