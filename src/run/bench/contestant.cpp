#include "run/bench/contestant.h"

#include "limiter/limiter.h"
#include "verdict/verdict.h"

namespace rlctl {

ScriptContestant::ScriptContestant(std::string name, const Script& script, const Policy& policy,
                                   std::span<const std::unique_ptr<RedisClient>> connections,
                                   std::int64_t pipeline, const ReplicaWait& wait)
    : Contestant(std::move(name), script.manifest.promises(policy.numbers()),
                 tolerance_us_of(script.manifest)),
      script_(script),
      call_(script, policy) {
  limiters_.reserve(connections.size() * static_cast<std::size_t>(pipeline));
  for (std::int64_t i = 0; i < pipeline; ++i)
    for (const auto& connection : connections)
      limiters_.push_back(make_limiter(*connection, call_, wait));
  for (const auto& limiter : limiters_) users_.push_back(limiter.get());
}

}  // namespace rlctl
