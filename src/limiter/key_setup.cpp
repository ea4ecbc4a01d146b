#include "limiter/key_setup.h"

#include <utility>

namespace rlctl {

Task<std::string> KeySetup::prepare(Limiter& runner, Attempt attempt) {
  const auto [place, is_first] = keys_.try_emplace(std::string(attempt.key));
  Key& key = place->second;
  if (!is_first) co_return co_await Wait{key};
  attempt.cost = 1;
  const Decision decision = co_await runner.decide(attempt);
  key.ended = true;
  if (decision.outcome > Outcome::denied) key.problem = "the set-up script: " + decision.problem;
  std::string problem = key.problem;
  for (const std::coroutine_handle<> waiter : std::exchange(key.waiters, {})) waiter.resume();
  if (!problem.empty()) keys_.erase(place);
  co_return problem;
}

}  // namespace rlctl
