// ServedTarget: rlctl's own HTTP server (run/guarded_server.h) as a target, on the same loop, with
// an embedded Redis and a route for each policy. Clients are identified by X-Forwarded-For and
// X-User-Id, unless the scenario sets headers. One thread.
#pragma once

#include <memory>
#include <string>

#include "limiter/registry.h"
#include "run/guarded_server.h"
#include "run/http_service.h"
#include "run/redis_target.h"

namespace rlctl {

class ServedTarget final : public HttpService {
 public:
  ServedTarget(Loop& loop, const Scenario& scenario, const Registry& registry,
               EmbeddedSpec embedded, std::string run_id);

  Task<> open() override;
  Task<std::string> close() override;

  RedisFaults* redis_faults() override { return redis_.redis_faults(); }

 private:
  ServePlan make_plan() const;

  const Registry& registry_;
  RedisTarget redis_;
  std::unique_ptr<GuardedServer> server_;
};

}  // namespace rlctl
