#include "run/bench/contestant.h"

#include "io/redis/redis_error.h"
#include "limiter/http_limiter.h"
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

BenchProblem problem_of(const Contestant& contestant, const Drive& drive) {
  const std::string& what = drive.problem;
  if (contestant.is_service()) return {what, http_hint({.problem = what})};
  // The keys are the bench's own, so a wrong type is the script's doing.
  if (what.empty() || what.starts_with("WRONGTYPE")) return {what, ""};
  std::string hint = hint_for_error(what);
  if (hint.empty() && drive.lost)
    hint = "check that Redis runs, and see its log; for a slow server use a longer --timeout";
  if (hint.empty() && !drive.script_failed)
    hint = "check the replicas of this Redis, or use a longer --wait-timeout";
  return {what, std::move(hint)};
}

}  // namespace rlctl
