#include "run/explore_probe.h"

#include <vector>

namespace rlctl {
namespace {

constexpr std::size_t kMostSteps = 10'000;

}  // namespace

std::int64_t probes_for(const Policy& policy) {
  return std::max(policy.limit, policy.bucket_capacity()) + 2;
}

bool ExploreProbe::is_blocked(const RedisModel& redis) {
  const auto [place, is_new] = known_.try_emplace(redis.fingerprint(), false);
  if (!is_new) return place->second;
  RedisModel later = redis;
  std::int64_t denied_in_a_row = 0;
  for (std::int64_t i = 0; i < probes_for(policy_); ++i) {
    later.advance_to(later.now_us() + kProbeGapWindows * policy_.window_us);
    denied_in_a_row = decide(later) == Outcome::denied ? denied_in_a_row + 1 : 0;
  }
  place->second = denied_in_a_row >= 2;
  return place->second;
}

Outcome ExploreProbe::decide(RedisModel& redis) {
  const ProgramStart start{0, redis.now_us()};
  redis.disconnect(0);
  std::vector<Reply> replies;
  ProgramStep step = program_.next(start, replies);
  while (!step.has_ended() && replies.size() < kMostSteps) {
    replies.push_back(redis.execute(0, step.command));
    step = program_.next(start, replies);
  }
  return step.has_ended() ? step.outcome : Outcome::unknown;
}

}  // namespace rlctl
