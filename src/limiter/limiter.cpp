#include "limiter/limiter.h"

#include "limiter/client_limiter.h"
#include "limiter/script_limiter.h"

namespace rlctl {

std::unique_ptr<Limiter> make_limiter(Redis& redis, ScriptCall& call) {
  if (call.client_script() != nullptr) return std::make_unique<ClientLimiter>(redis, call);
  return std::make_unique<ScriptLimiter>(redis, call);
}

}  // namespace rlctl
